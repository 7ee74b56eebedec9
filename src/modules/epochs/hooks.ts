/** Hooks of epochs. Each listener runs in its own branch, and the branch of a failing listener is dropped. */
import { defineHook } from '../../sdk/hook.ts'

/** An epoch: the identifier of its record, and its number, counted from 1. */
export interface Epoch {
  readonly identifier: string
  readonly number: bigint
}

/** Called after the end event of an epoch, while the record still shows that epoch. */
export const afterEpochEnd = defineHook<Epoch>('epochs.afterEpochEnd')

/** Called after the record of a new epoch is stored. */
export const beforeEpochStart = defineHook<Epoch>('epochs.beforeEpochStart')
