/** The way back from what was opened, last first. */

/**
 * Takes every step, whatever one of them throws: what stands behind it in line is to be closed too. Rejects with the first
 * failure when all are taken. The steps are gone from the list, so that none is taken twice.
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
