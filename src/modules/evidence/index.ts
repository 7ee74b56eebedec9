/** What the engine has seen validators do wrong. */
import { defineModule } from '../../sdk/module.ts'
import { punishMisbehaviour } from './equivocation.ts'
import { genesis } from './genesis.ts'

export const evidence = defineModule({ name: 'evidence', genesis, beginBlock: punishMisbehaviour })
