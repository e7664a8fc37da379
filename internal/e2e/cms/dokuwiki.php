<?php
// Writes the pages of a DokuWiki into the folder of the first argument, each a
// file with the page's name.
[, $folder] = $argv;
require __DIR__ . '/texts.php';

function name(int $n): string { return strtr(strtolower(title($n)), ' ', '_'); }

$spaces = ['travel', 'cooking', 'gardens', 'music', 'rivers', 'trees', 'houses', 'birds'];
$start = "====== A wiki ======\n\n" . text(0, 3) . "\n\n";
foreach ($spaces as $i => $space) {
	$start .= "  * [[$space:start|" . ucfirst($space) . "]]\n";
	$list = '====== ' . ucfirst($space) . " ======\n\n" . text(500 + $i, 3) . "\n\n";
	for ($n = $i + 1; $n <= 92; $n += 8) {
		$text = '====== ' . title($n) . " ======\n\n" . text($n) . "\n\n===== " . title(200 + $n) . " =====\n\n" . text(600 + $n, 5) . "\n\n";
		$other = $n % 90 + 1;
		$text .= '  * [[' . $spaces[($other - 1) % 8] . ':' . name($other) . "]]\n" . ($n % 20 ? '' : "  * [[nothing_about_$n]]\n");
		file_put_contents("$folder/$space:" . name($n), $text);
		if ($n % 30) {
			$list .= "  * [[$space:" . name($n) . "]]\n";
		}
	}
	file_put_contents("$folder/$space:start", $list);
}
for ($n = 1; $n < 4; $n++) {
	file_put_contents("$folder/fresh:news_$n", "====== News $n ======\n\n" . text(900 + $n));
	$start .= "  * [[fresh:news_$n]]\n";
	file_put_contents("$folder/private:note_$n", "====== Note $n ======\n\n" . text(800 + $n));
	$start .= "  * [[private:note_$n]]\n";
}
file_put_contents("$folder/start", $start);
