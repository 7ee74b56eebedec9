/** The OpenRPC document of JSON-RPC. */
import { describeMethod, documentOf, type Json, readTable } from './document.ts'
import { DEVELOPMENT_VERBS, ETHEREUM_METHODS, REFUSED_METHODS } from './ethereum-methods.ts'

/** Methods that answer only to this machine. */
const VERB = /^(?:anvil|hardhat|evm)_(.*)$/

const SIGNING = /^(eth_sign|eth_sendTransaction|eth_resend|personal_)/
const OF_DEVELOPMENT =
  /^(almanac_|tenderly_|miner_|eth_mining|eth_coinbase|eth_hashrate|eth_sendUnsigned|debug_setHead)/

/** Returns the document of methods by their wire names. A method without a description is left out; a test finds it. */
export function ethereumDocument(names: Iterable<string>, version: string): Json {
  const methods = readTable(ETHEREUM_METHODS)
  const verbs = readTable(DEVELOPMENT_VERBS)
  const refused = new Set(REFUSED_METHODS.split(/\s/))
  const described = [...names].flatMap((name): Json[] => {
    if (refused.has(name)) {
      const text = 'Is refused: the node has no counterpart of what this method of geth reads or writes.'
      return [describeMethod(name, { params: [], result: 'json', runsCode: false, text }, { isRefused: true })]
    }
    const verb = VERB.exec(name)?.[1]
    const entry = methods.get(name) ?? verbs.get(verb ?? '')
    const isLocal = verb !== undefined || SIGNING.test(name) || OF_DEVELOPMENT.test(name)
    return entry ? [describeMethod(name, entry, { isLocal, isRefused: entry.text.startsWith('Is refused') })] : []
  })
  return documentOf('JSON-RPC of this node', version, described)
}
