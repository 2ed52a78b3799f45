// What the server is asked. Every answer that does not come is an Error with a sentence.

// The token stands in the address after #, which browsers send to nobody, and is kept for this tab and this port.
// A cookie would be shown to every port of this machine.
const shown = /^#token=(.+)$/.exec(location.hash)?.[1];
let token = shown ?? "";
try {
  if (shown) sessionStorage.token = shown;
  token = sessionStorage.token ?? "";
} catch { /* A browser that keeps nothing. */ }
if (shown) history.replaceState(null, "", location.pathname + location.search); // Not into bookmarks, nor onto pictures of the screen.
addEventListener("hashchange", () => location.reload()); // Another token was put into the address of this tab.

async function ask(path, parameters, options = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  let answer;
  try {
    answer = await fetch(`api/${path}?${query}`, { ...options, headers: token ? { Authorization: `Bearer ${token}` } : {} });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Error("The server does not answer: it has ended, or is ending.");
  }
  if (!answer.ok) {
    const error = new Error((await answer.text()).trim());
    error.status = answer.status;
    throw error;
  }
  return answer;
}

export const get = async (path, parameters = {}, signal = undefined) => (await ask(path, parameters, { signal })).json();

export const text = async (path, signal) => (await ask(path, {}, { signal })).text();

export const post = async (path, parameters, signal) =>
  (await ask(path, parameters, { method: "POST", signal })).json();
