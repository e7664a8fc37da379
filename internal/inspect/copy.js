// Puts a button below each setting that copies it. The pages need no script: the text can be selected.
if (navigator.clipboard) for (const text of document.querySelectorAll("pre.copy")) {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "quiet";
	button.textContent = "Copy";
	button.onclick = () => navigator.clipboard.writeText(text.textContent).then(() => { button.textContent = "Copied"; });
	text.after(button);
}
