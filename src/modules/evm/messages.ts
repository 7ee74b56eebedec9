/** chain.evm.v1.Msg */
import { Msg } from '../../gen/chain/evm/v1/tx_pb.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as sudo from '../sudo/keeper.ts'
import { errors } from './errors.ts'
import { validateParams } from './params.ts'
import * as state from './state.ts'

export const messages = defineMessages(Msg, {
  /** Ethereum transactions go by a path of their own (app/evm/path.ts): as a message of an ordinary transaction it is refused. */
  ethereumTx() {
    throw sdkErrors.invalidType('MsgEthereumTx needs to be contained within a tx with the Ethereum extension option')
  },

  /** Replaces all parameters. Governance, or the sudo root when one is set. */
  updateParams(ctx, { authority, params }) {
    sudo.requireAuthority(ctx, authority)
    if (!params) throw sdkErrors.invalidRequest('params must be given')
    validateParams(params)
    state.params.set(ctx, params)
    return {}
  },

  createFunToken() {
    throw errors.unimplemented('CreateFunToken (module evm)')
  },

  convertCoinToEvm() {
    throw errors.unimplemented('ConvertCoinToEvm (module evm)')
  },

  convertEvmToCoin() {
    throw errors.unimplemented('ConvertEvmToCoin (module evm)')
  },
})
