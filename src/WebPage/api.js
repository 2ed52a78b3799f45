// What the server is asked. Every answer that does not come is an Error with a sentence.

const token = document.querySelector("meta[name=token]").content;

async function ask(path, parameters, options = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  let answer;
  try {
    answer = await fetch(`api/${path}?${query}`, options);
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
  (await ask(path, parameters, { method: "POST", headers: { "X-Ambrosia-Token": token }, signal })).json();
