// Light or dark: as the system has it, until somebody chooses.

const root = document.documentElement;

/** Takes what was chosen before. */
export function recallTheme() {
  try { root.className = localStorage.theme ?? ""; } catch { /* A browser that keeps nothing. */ }
}

/** Changes to the other one, and keeps that. */
export function turnTheme() {
  const dark = root.classList.contains("dark") || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  root.className = dark ? "light" : "dark";
  try { localStorage.theme = root.className; } catch { /* A browser that keeps nothing. */ }
}
