/** Errors of the machine, which say nothing about the input: an exhausted stack, and memory that V8 could not allocate. */

/** V8's messages about the stack, and about failed allocations of arrays, WebAssembly memory and WebAssembly instances. */
const OF_MACHINE = /call stack|out of memory|allocation failed|could not allocate|unable to grow/i

/** Whether an error is of the machine. */
export function isOfMachine(error: unknown): boolean {
  return error instanceof RangeError && OF_MACHINE.test(error.message)
}

/**
 * Returns the result of a library's function; undefined if it throws because of its input. Errors of the machine are thrown on:
 * they must not become an answer (ADR 0021).
 */
export function orUndefined<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (isOfMachine(error)) throw error
    return undefined
  }
}
