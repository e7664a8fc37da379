<?php
// Writes the pages of a wiki into the folder of the first argument, each a file
// that importTextFiles reads, and the titles of those to be deleted into the file
// of the second.
[, $folder, $deleted] = $argv;
require __DIR__ . '/texts.php';

function page(string $title, string $text): void {
	global $folder;
	file_put_contents("$folder/" . strtr($title, ' ', '_') . '.txt', "$text\n");
}

$categories = ['Travel', 'Cooking', 'Gardens', 'Music', 'Rivers', 'Trees'];
$main = text(0, 3) . "\n\n";
foreach ($categories as $i => $c) {
	page("Category:$c", text(500 + $i, 3));
	$main .= "* [[:Category:$c]]\n";
}
for ($n = 1; $n < 100; $n++) {
	$orphan = $n % 33 == 0; // no page links to it, and no category has it
	$text = text($n) . "\n\n== " . title(200 + $n) . " ==\n" . text(600 + $n, 5) . "\n\n";
	for ($k = 1; $k < 4; $k++) {
		$other = $n * $k % 99 + 1;
		$text .= $other % 33 ? '* [[' . title($other) . "]]\n" : '';
	}
	page(title($n), $text . ($n % 20 ? '' : "* [[Nothing about $n]]\n") . ($orphan ? '' : '[[Category:' . $categories[$n % 6] . ']]'));
	if ($n % 10 == 1 && !$orphan) {
		$main .= '* [[' . title($n) . "]]\n";
	}
	if ($n % 20 == 2) {
		page('Talk:' . title($n), text(700 + $n, 4));
		page('Also ' . title($n), '#REDIRECT [[' . title($n) . ']]');
	}
}
$gone = [];
for ($n = 1; $n < 4; $n++) {
	page($gone[] = "Withdrawn $n", text(800 + $n));
	$main .= "* [[Withdrawn $n]]\n";
}
file_put_contents($deleted, implode("\n", $gone) . "\n");
page('Main Page', $main . "* [[Also " . title(2) . "]]");
