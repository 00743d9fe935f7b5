// Beside each secret a button that shows it, and hides it again. A page without script has none.
"use strict";
for (const field of document.querySelectorAll("input[type=password]")) {
  const name = document.querySelector(`label[for="${field.id}"]`).firstChild.textContent;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "reveal";
  button.setAttribute("aria-controls", field.id);
  const show = (shown) => {
    field.type = shown ? "text" : "password";
    button.textContent = shown ? "Hide" : "Show";
    button.setAttribute("aria-label", `${button.textContent} ${name}`);
  };
  show(false);
  button.addEventListener("click", () => show(field.type === "password"));
  // Or the browser might keep it among the texts that it offers to fill in.
  field.form.addEventListener("submit", () => show(false));
  const pair = document.createElement("div");
  pair.className = "revealed";
  const hadFocus = document.activeElement === field;
  field.replaceWith(pair);
  pair.append(field, button);
  if (hadFocus) field.focus();
}
