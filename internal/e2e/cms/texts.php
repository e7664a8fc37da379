<?php
// Texts for pages, each another one, and the same at each run.

const WORDS = ['anchor', 'amber', 'basin', 'bridge', 'candle', 'canyon', 'cedar', 'clover', 'copper', 'coral', 'delta', 'ember', 'falcon',
	'fjord', 'garden', 'glacier', 'granite', 'harbour', 'heron', 'island', 'ivory', 'juniper', 'kettle', 'lagoon', 'lantern', 'linen',
	'maple', 'marble', 'meadow', 'mirror', 'mosaic', 'nectar', 'oasis', 'olive', 'orchard', 'otter', 'pebble', 'pepper', 'pine', 'plaza',
	'quartz', 'quill', 'raven', 'ribbon', 'river', 'saddle', 'saffron', 'sail', 'sparrow', 'spruce', 'summit', 'temple', 'thistle',
	'timber', 'tulip', 'valley', 'velvet', 'violin', 'walnut', 'willow', 'window', 'winter', 'wool', 'yarrow'];

// title returns the nth title, of two words; no two of the first thousand are the same.
function title(int $n): string {
	$k = count(WORDS);
	return ucfirst(WORDS[$n * 7 % $k]) . ' ' . WORDS[($n * 11 + 3 + intdiv($n, $k)) % $k];
}

// text returns the nth text, of some sentences.
function text(int $n, int $sentences = 8): string {
	$r = new Random\Randomizer(new Random\Engine\Mt19937($n));
	$all = [];
	for ($i = 0; $i < $sentences; $i++) {
		$words = [];
		for ($j = $r->getInt(7, 14); $j > 0; $j--) {
			$words[] = WORDS[$r->getInt(0, count(WORDS) - 1)];
		}
		$all[] = ucfirst(implode(' ', $words)) . '.';
	}
	return implode(' ', $all);
}
