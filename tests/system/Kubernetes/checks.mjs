// Counts what held and what did not, for the last line that test.sh reads.
let passed = 0, failed = 0;

export function check(sentence, holds, more = "") {
  if (holds) passed++; else failed++;
  console.log(`${holds ? "ok      " : "FAILED  "}${sentence}${more && ` (${more})`}`);
}

/** Says the counts and ends the process accordingly. */
export function end() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
