/** All kinds of actions. */
import type { ActionKind } from './action.ts'
import { bankActions } from './bank.ts'
import { devgasActions } from './devgas.ts'
import { distributionActions } from './distribution.ts'
import { evmActions } from './evm.ts'
import { funtokenActions } from './funtoken.ts'
import { govActions } from './gov.ts'
import { grantActions } from './grants.ts'
import { oracleActions } from './oracle.ts'
import { stakingActions } from './staking.ts'
import { sudoActions } from './sudo.ts'
import { tokenfactoryActions } from './tokenfactory.ts'

export const actionKinds: readonly ActionKind[] = [
  ...bankActions,
  ...evmActions,
  ...funtokenActions,
  ...tokenfactoryActions,
  ...stakingActions,
  ...distributionActions,
  ...grantActions,
  ...govActions,
  ...oracleActions,
  ...devgasActions,
  ...sudoActions,
]

/** Kinds of the first actions of a plan: tokens that later actions use. */
export const opening: readonly string[] = [
  ...Array.from({ length: 10 }, () => 'tokenfactory.createDenom'),
  ...Array.from({ length: 16 }, () => 'evm.deployToken'),
  ...Array.from({ length: 5 }, () => 'funtoken.createFromCoin'),
  ...Array.from({ length: 16 }, () => 'funtoken.createFromErc20'),
]

const byName = new Map(actionKinds.map((kind) => [kind.name, kind]))

/** Returns a kind by its name. Throws an `Error` for an unknown name. */
export function kindOf(name: string): ActionKind {
  const found = byName.get(name)
  if (!found) throw new Error(`no action has the name ${name}`)
  return found
}
