/** What epochs tell: who listens gets a branch of its own, and what fails there is dropped (epochs.md §4). */
import { defineHook } from '../../sdk/hook.ts'

/** An epoch, by the name of its record and its number from 1. */
export interface Epoch {
  readonly identifier: string
  readonly number: bigint
}

/** After the end event of an epoch, while its record is still the old one. */
export const afterEpochEnd = defineHook<Epoch>('epochs.afterEpochEnd')

/** After the record of a new epoch is written. */
export const beforeEpochStart = defineHook<Epoch>('epochs.beforeEpochStart')
