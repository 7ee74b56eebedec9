/** The accounts of this node, for whose transactions a full pool makes room. */
import * as address from '../identity/address.ts'
import type { Identity } from '../identity/types.ts'
import { parseEvm } from '../primitives/address.ts'
import { toKey } from '../primitives/bytes.ts'
import { ChainError } from '../primitives/errors.ts'
import { deriveAccounts } from './accounts.ts'
import { configError } from './config.ts'
import { isDevelopment } from './gateway-node.ts'
import type { Config } from './settings.ts'

function parseLocal(identity: Identity, text: string): Uint8Array {
  try {
    return parseEvm(text) ?? address.parse({ identity }, text)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw configError(`mempool.locals: "${text}" is not an address: ${error.message}`)
  }
}

/**
 * Returns whether a sender is an account of this node: one that `mempool.locals` names, or one whose key the node signs with.
 * A connection from this machine does not make a sender local, since a proxy on it connects for strangers. Throws
 * `invalidArgument` for a text that is not an address.
 */
export function localAccounts(config: Config, identity: Identity): (sender: string) => boolean {
  const named = new Set(config.mempool.locals.map((text) => toKey(parseLocal(identity, text))))
  const holdsKeys = config.node.devKeys && isDevelopment(config)
  let own: ReadonlySet<string> | undefined
  return (sender) => {
    if (named.has(sender)) return true
    if (!holdsKeys) return false
    own ??= new Set(
      deriveAccounts(config.chain.mnemonic, config.chain.accounts, identity, config.chain.derivationPath).map(
        ({ addressBytes }) => toKey(addressBytes),
      ),
    )
    return own.has(sender)
  }
}
