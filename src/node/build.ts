/** The parts of the state machine in which two builds of the node differ. */
import type { ApplicationOptions } from '../app/application.ts'

export type Build = Pick<ApplicationOptions, 'modules' | 'upgrades' | 'firstVersions'>
