/** The clock of relative times: that of this computer, or that of the chain where it is ahead. */
import { useEffect } from 'preact/hooks'
import { head } from '../api/head.ts'
import { createStore, useStore } from '../store.ts'

/** Time by which the chain is ahead of this computer, as after `evm_increaseTime`; 0 if it is behind. Unit: milliseconds. */
const ahead = createStore(0)
const readNow = (): number => Date.now() + ahead.get()
const now = createStore(readNow())
head.subscribe(() => {
  const tip = head.get()
  ahead.set(tip ? Math.max(0, Date.parse(tip.time) - Date.now()) : 0)
  now.set(readNow())
})
let watchers = 0
let clock: ReturnType<typeof setInterval> | undefined

/** Returns the present time, and draws the component again with every second. Unit: milliseconds. */
export function useNow(): number {
  useEffect(() => {
    if (watchers++ === 0) {
      clock = setInterval(() => now.set(readNow()), 1000)
      now.set(readNow())
    }
    return () => {
      if (--watchers === 0) clearInterval(clock)
    }
  }, [])
  return useStore(now)
}

/** Difference of two clocks that is no move of the chain's. Unit: milliseconds. */
const SAME_CLOCK_MS = 5000

/** Returns the time by which the chain is ahead, in whole seconds; 0 if its clock goes like that of this computer. */
export const useAheadSeconds = (): number => useStore(ahead, (ms) => (ms < SAME_CLOCK_MS ? 0 : Math.round(ms / 1000)))
