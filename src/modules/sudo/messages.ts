/** chain.sudo.v1.Msg */
import { EventUpdateSudoersSchema } from '../../gen/chain/sudo/v1/event_pb.ts'
import { Msg } from '../../gen/chain/sudo/v1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { toKey } from '../../primitives/bytes.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as sudo from './keeper.ts'

export const messages = defineMessages(Msg, {
  /** Adds contracts to the sudoers, or removes them. The list stays sorted. */
  editSudoers(ctx, { action, contracts, sender }) {
    const { root, contracts: listed } = sudo.requireAuthority(ctx, sender)
    if (contracts.length === 0) throw sdkErrors.invalidRequest('contracts cannot be empty')
    const named = new Set(contracts.map((contract) => toKey(sudo.parseListed(ctx, contract))))
    let edited: readonly string[]
    if (action === 'add_contracts') edited = [...listed, ...contracts]
    else if (action === 'remove_contracts') {
      edited = listed.filter((contract) => !named.has(toKey(sudo.parseListed(ctx, contract))))
    } else throw sdkErrors.invalidRequest(`invalid action type ${action}: expected add_contracts or remove_contracts`)
    const sorted = sudo.canonicalContracts(ctx, edited).sort((a, b) => (a < b ? -1 : 1))
    const sudoers = sudo.setSudoers(ctx, { root, contracts: sorted })
    ctx.emit(EventUpdateSudoersSchema, { sudoers, action })
    return {}
  },

  /** Replaces the root. */
  changeRoot(ctx, { sender, newRoot }) {
    const current = sudo.requireAuthority(ctx, sender)
    const sudoers = sudo.setSudoers(ctx, { ...current, root: address.canonical(ctx, newRoot) })
    ctx.emit(EventUpdateSudoersSchema, { sudoers, action: 'change_root' })
    return {}
  },

  /** Replaces the lists of calls without a fee. */
  editZeroGasActors(ctx, { actors, sender }) {
    sudo.requireAuthority(ctx, sender)
    if (!actors) throw sdkErrors.invalidRequest('actors must be set')
    sudo.setZeroGasActors(ctx, actors)
    return {}
  },
})
