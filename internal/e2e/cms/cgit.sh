#!/bin/bash
# cgit from Debian's package, as its installation leaves it and with links that are
# to be followed: four repositories. Takes some 5 minutes.
#
# cgit makes no sitemap. What takes its place here are the pages of what each
# repository holds now: its summary, its branches, its log, and each folder and
# file. Their addresses have no query. Pages of older states have one (?id=); the
# last run asks for those of commits too.
. "$(dirname "$0")/common.sh"
need cgit git

# commit REPOSITORY N commits the files that are there.
commit() {
	git -C "$1" add -A
	GIT_AUTHOR_DATE="2024-01-0$2T10:00:00Z" GIT_COMMITTER_DATE="2024-01-0$2T10:00:00Z" \
		git -C "$1" -c user.name=Jane -c user.email=jane@example.com -c commit.gpgsign=false commit -qm "Change $2"
}
mkdir "$work/git"
for repo in alpha beta gamma delta; do
	at=$work/$repo
	git init -q -b master "$at"
	mkdir -p "$at/src/parts" "$at/docs"
	for f in README.md LICENSE src/main.c src/main.h src/util.c docs/guide.md docs/faq.md src/parts/list.c src/parts/tree.c src/parts/hash.c \
		src/parts/set.c docs/build.md docs/api.md Makefile; do
		for i in $(seq 30); do echo "Line $i of $f in $repo: $(echo "$i $f $repo" | md5sum | tr '0-9' 'g-p' | cut -c1-7)"; done >"$at/$f"
	done
	commit "$at" 1
	for n in 2 3 4; do
		echo "Change $n" >>"$at/docs/guide.md"
		echo "/* Change $n of $repo */" >>"$at/src/main.c"
		commit "$at" $n
	done
	git -C "$at" tag v1 HEAD~1
	git clone -q --bare "$at" "$work/git/$repo.git"
	echo "The program $repo" >"$work/git/$repo.git/description"
done

mkdir "$work/www"
printf 'A server\n' >"$work/www/index.html"
serve git.example "$work/www" <<-END
	alias.url = ("/cgit-css/" => "/usr/share/cgit/", "/cgit" => "/usr/lib/cgit/cgit.cgi")
	setenv.add-environment = ("CGIT_CONFIG" => "$work/cgitrc")
	\$HTTP["url"] =~ "^/cgit(/|\$)" { cgi.assign = ("cgit.cgi" => "") }
END
origin=$origin/cgit

# settings MORE sets what cgitrc has beyond that of the installation.
settings() {
	{
		cat /etc/cgitrc
		printf '%s\n' "$1" "scan-path=$work/git"
	} >"$work/cgitrc"
}
{
	echo "$origin/"
	for at in "$work/git"/*; do
		repo=${at##*/}
		for page in '' refs/ log/ tree/; do echo "$origin/$repo/$page"; done
		for path in $(git -C "$at" ls-tree -rt --name-only HEAD); do echo "$origin/$repo/tree/$path"; done
	done
} >"$work/theirs"
: >"$work/never"
common=(-fine 'the list of a folder, as text=/plain/' -fine 'the newest commit and what it changed=/(commit|diff)/$' -fine 'the history of a file or folder=/log/.' -fine 'what a commit changed in a file=/(commit|diff)/[^?]+$')

settings ''
walk 'cgit, as installed' "${common[@]}"
walk 'cgit, as installed, walked by who follows all links' "${common[@]}" -wget=-erobots=off '-wget=--reject-regex=[?&](id|id2|h|ofs|ss|dt|context|ignorews|follow|showmsg)='
settings 'robots=index, follow'
walk 'cgit, robots=index, follow' "${common[@]}"
walk 'cgit, robots=index, follow, Never rules for what a tree has beside itself' "${common[@]}" \
	-rule '{"Pattern": "/cgit/*/plain/", "List": 3}' -rule '{"Pattern": "/cgit/*/commit/", "List": 3}' -rule '{"Pattern": "/cgit/*/diff/", "List": 3}' \
	-rule '{"Pattern": "/cgit/*/log/", "List": 3}' -rule '{"Pattern": "/cgit/*/log/$", "List": 1}'
for at in "$work/git"/*; do git -C "$at" log --format="$origin/${at##*/}/commit/?id=%H"; done >>"$work/theirs"
walk 'cgit, robots=index, follow, commits wanted too: Query: id and Always for them' "${common[@]}" \
	-rule '{"Pattern": "/cgit/*/commit/", "Query": ["id"]}' -rule '{"Pattern": "/cgit/*/commit/?id=", "List": 2}'
exit $failed
