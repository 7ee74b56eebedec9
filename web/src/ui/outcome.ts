/** The state of something that a form does. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

export interface Outcome {
  readonly isBusy: boolean
  readonly done?: ComponentChildren
  readonly error?: string
}

/** Runs actions one at a time, and keeps what the last one did. */
export function useOutcome(): readonly [Outcome, (act: () => Promise<ComponentChildren>) => void] {
  const [outcome, setOutcome] = useState<Outcome>({ isBusy: false })
  const run = (act: () => Promise<ComponentChildren>): void => {
    setOutcome({ isBusy: true })
    Promise.resolve()
      .then(act)
      .then(
        (done) => setOutcome({ isBusy: false, done }),
        (error: unknown) =>
          setOutcome({ isBusy: false, error: error instanceof Error ? error.message : String(error) }),
      )
  }
  return [outcome, run]
}
