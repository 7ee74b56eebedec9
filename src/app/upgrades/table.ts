/** The upgrades of this build, oldest first: one file each, `NAME.ts`. The one list. */
import type { Upgrade } from './types.ts'

export const upgrades: readonly Upgrade[] = []
