/** The closing of a node's parts, the last opened first. */

/**
 * Runs every step, in reverse order, even if one of them throws. Rejects with the first failure after all have run. Empties
 * the list, so that no step runs twice.
 */
export async function unwind(steps: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps.splice(0).reverse()) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
