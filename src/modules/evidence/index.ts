/** Misbehaviour of validators, as reported by the consensus engine. */
import { defineModule } from '../../sdk/module.ts'
import { punishMisbehaviour } from './equivocation.ts'
import { genesis } from './genesis.ts'

export const evidence = defineModule({ name: 'evidence', genesis, beginBlock: punishMisbehaviour })
