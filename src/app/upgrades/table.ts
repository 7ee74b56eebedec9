/** The upgrades of this build, oldest first. Each has its own file, `NAME.ts`. */
import type { Upgrade } from './types.ts'

export const upgrades: readonly Upgrade[] = []
