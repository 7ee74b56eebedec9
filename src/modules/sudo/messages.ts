/** chain.sudo.v1.Msg */
import { EventUpdateSudoersSchema } from '../../gen/chain/sudo/v1/event_pb.ts'
import { Msg } from '../../gen/chain/sudo/v1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as sudo from './keeper.ts'
import * as state from './state.ts'

export const messages = defineMessages(Msg, {
  /** Adds contracts to the sudoers, or removes them. The list stays sorted. */
  editSudoers(ctx, { action, contracts, sender }) {
    sudo.requireAuthority(ctx, sender)
    if (contracts.length === 0) throw sdkErrors.invalidRequest('contracts cannot be empty')
    for (const contract of contracts) sudo.parseListed(ctx, contract)
    const current = sudo.sudoers(ctx)
    const listed = new Set(current.contracts)
    if (action === 'add_contracts') for (const contract of contracts) listed.add(contract)
    else if (action === 'remove_contracts') for (const contract of contracts) listed.delete(contract)
    else throw sdkErrors.invalidRequest(`invalid action type ${action}: expected add_contracts or remove_contracts`)
    const sorted = [...listed].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    const sudoers = { ...current, contracts: sorted }
    sudo.setSudoers(ctx, sudoers)
    ctx.emit(EventUpdateSudoersSchema, { sudoers, action })
    return {}
  },

  /** Replaces the root. */
  changeRoot(ctx, { sender, newRoot }) {
    sudo.requireAuthority(ctx, sender)
    const root = address.format(ctx, address.parse(ctx, newRoot))
    const sudoers = { ...sudo.sudoers(ctx), root }
    sudo.setSudoers(ctx, sudoers)
    ctx.emit(EventUpdateSudoersSchema, { sudoers, action: 'change_root' })
    return {}
  },

  /** Replaces the lists of calls without a fee. */
  editZeroGasActors(ctx, { actors, sender }) {
    sudo.requireAuthority(ctx, sender)
    if (!actors) throw sdkErrors.invalidRequest('actors must be set')
    for (const actor of actors.senders) address.parse(ctx, actor)
    for (const contract of [...actors.contracts, ...actors.alwaysZeroGasContracts]) sudo.parseListed(ctx, contract)
    state.zeroGasActors.set(ctx, actors)
    return {}
  },
})
