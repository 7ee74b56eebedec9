/** Finds the page of a text that was typed into the search box. */
import { placeOf } from '../abi/places.ts'
import { ask } from '../api/ask.ts'
import { head } from '../api/head.ts'
import { nodeFacts } from '../api/node.ts'
import { engine, eth, rest } from '../api/question.ts'
import { fromHex, readBech32, toBech32 } from '../format/address.ts'

const TAKES =
  'It takes a height, the hash of a block or a transaction (64 hexadecimal digits), an address (0x… or Bech32), a denom, a pair such as ubtc:uusd, the name of a validator, a proposal such as #1, or the name of a contract: of a token that has one in the bank, or of an artifact whose contract you have opened.'

/** Error of a text that leads nowhere. It says what the box takes. */
const nothing = (why: string): Error => new Error(`${why} ${TAKES}`)

/** Finds a page, or returns undefined if this kind of thing has no such one. */
type Finder = (asked: string) => Promise<string | undefined> | string | undefined

/** Numbers are heights; one above the tip can be a proposal. */
const byHeight: Finder = (asked) => {
  if (!/^\d[\d\s_,]*$/.test(asked)) return undefined
  const height = BigInt(asked.replace(/[\s_,]/g, ''))
  const tip = head.get()
  if (tip && (height > tip.height || height < tip.earliest)) {
    throw nothing(`There is no block ${height}: this node has ${tip.earliest} to ${tip.height}.`)
  }
  return `/block/${height}`
}

const byProposal: Finder = async (asked) => {
  const id = /^(?:#|proposal\s*#?)(\d+)$/i.exec(asked)?.[1]
  if (id === undefined) return undefined
  await ask(rest(`/sdk/gov/v1/proposals/${id}`)).catch(() => {
    throw nothing(`There is no proposal ${id}.`)
  })
  return `/chain/proposals/${id}`
}

const byAddress: Finder = async (asked) => {
  if (/^[0-9a-f]{40}$/i.test(asked)) return (await byConsensus(fromHex(asked))) ?? `/account/0x${asked}`
  if (/^0x/i.test(asked) && asked.length !== 66) {
    if (/^0x[0-9a-f]{40}$/i.test(asked)) return `/account/${asked}`
    throw nothing(`“${asked}” has ${asked.length - 2} digits: an address has 40, a hash 64, all hexadecimal.`)
  }
  const found = readBech32(asked)
  if (!found) {
    // An address whose checksum is wrong looks like one still.
    if (/^[a-z]{1,20}1[02-9ac-hj-np-z]{38,60}$/i.test(asked))
      throw nothing(`“${asked}” is mistyped: its checksum is wrong.`)
    return undefined
  }
  const { bech32 } = await nodeFacts()
  if (found.prefix === bech32.validator) return `/chain/validators/${asked}`
  if (found.prefix.endsWith('valcons')) return (await byConsensus(found.bytes)) ?? `/account/${asked}`
  return `/account/${asked}`
}

/** Returns the account of the validator that signs with a key of this address. */
async function byConsensus(bytes: Uint8Array): Promise<string | undefined> {
  const { bech32 } = await nodeFacts()
  const address = toBech32(bech32.consensus, bytes)
  const found = await ask<{ account_address: string }>(rest(`/chain/evm/v1/validator_account/${address}`)).catch(
    () => undefined,
  )
  return found && `/account/${found.account_address}`
}

const byHash: Finder = async (asked) => {
  const digits = /^(?:0x)?([0-9a-f]{64})$/i.exec(asked)?.[1]
  if (!digits) return undefined
  const [tx, sdkTx, block] = await Promise.all([
    ask(eth('eth_getTransactionByHash', `0x${digits.toLowerCase()}`)).catch(() => null),
    ask(engine('tx', { hash: inBase64(digits), prove: false })).catch(() => null),
    ask<{ block?: { header: { height: string } } | null }>(engine('block_by_hash', { hash: inBase64(digits) })).catch(
      () => null,
    ),
  ])
  if (tx || sdkTx) return `/tx/${asked}`
  if (block?.block) return `/block/${block.block.header.height}`
  throw nothing('No block and no transaction of this chain has this hash.')
}

/** Returns hexadecimal digits as the engine's RPC takes a hash. */
const inBase64 = (digits: string): string => btoa(String.fromCharCode(...fromHex(digits)))

const byPair: Finder = async (asked) => {
  if (!/^[\w.-]+:[\w.-]+$/.test(asked)) return undefined
  const path = '/chain/oracle/v1beta1'
  const [{ params }, { exchange_rates }] = await Promise.all([
    ask<{ params: { whitelist: readonly string[] } }>(rest(`${path}/params`)),
    ask<{ exchange_rates: readonly { pair: string }[] }>(rest(`${path}/pairs/exchange_rates`)),
  ])
  // Pairs without a price yet are on the list of those that validators vote on.
  const pairs = [...params.whitelist, ...exchange_rates.map(({ pair }) => pair)]
  const found = pairs.find((pair) => pair.toLowerCase() === asked.toLowerCase())
  return found && `/chain/oracle/${found}`
}

/** Returns the contract of a mapped denom. */
const byToken = async (asked: string): Promise<string | undefined> => {
  const found = await ask<{ fun_token: { erc20_addr: string } }>(
    rest(`/chain/evm/v1/funtoken/${encodeURIComponent(asked)}`),
  ).catch(() => undefined)
  return found && `/account/${found.fun_token.erc20_addr}`
}

const byDenom: Finder = async (asked) => {
  const exact = await ask<{ amount: { amount: string } }>(
    rest(`/sdk/bank/v1beta1/supply/by_denom?denom=${encodeURIComponent(asked)}`),
  ).catch(() => undefined)
  if (exact && exact.amount.amount !== '0') return `/chain/denoms/${asked}`
  const wanted = asked.toLowerCase()
  const { display_denom, base_denom } = await nodeFacts()
  if (wanted === display_denom.toLowerCase()) return `/chain/denoms/${base_denom}`
  const { supply } = await ask<{ supply: readonly { denom: string }[] }>(
    rest('/sdk/bank/v1beta1/supply?pagination.limit=1000'),
  )
  const part = supply.filter(({ denom }) => denom.toLowerCase().endsWith(`/${wanted}`))
  return part.length === 1 ? `/chain/denoms/${part[0]!.denom}` : undefined
}

/** Names of contracts: those of artifacts whose contract was seen, of mapped tokens, and of the bank's metadata. */
const byContractName: Finder = async (asked) => {
  const seen = placeOf(asked)
  if (seen) return `/account/${seen}`
  const wanted = asked.toLowerCase()
  const { metadatas } = await ask<{
    metadatas: readonly { base: string; name: string; symbol: string; display: string }[]
  }>(rest('/sdk/bank/v1beta1/denoms_metadata?pagination.limit=1000'))
  const found = metadatas.find(({ name, symbol, display }) =>
    [name, symbol, display].some((one) => one.toLowerCase() === wanted),
  )
  if (!found) return undefined
  return (await byToken(found.base)) ?? `/chain/denoms/${found.base}`
}

const byValidator: Finder = async (asked) => {
  const wanted = asked.toLowerCase()
  const { validators } = await ask<{
    validators: readonly { operator_address: string; description: { moniker: string } }[]
  }>(rest('/sdk/staking/v1beta1/validators?pagination.limit=1000'))
  const found = validators.find(({ description }) => description.moniker.toLowerCase() === wanted)
  return found && `/chain/validators/${found.operator_address}`
}

const FINDERS: readonly Finder[] = [
  byHeight,
  byProposal,
  byHash,
  byAddress,
  byPair,
  byDenom,
  byValidator,
  byContractName,
]

/** Returns the path of the page. Rejects with an error that says what the box takes. */
export async function findTarget(text: string): Promise<string> {
  const asked = text.trim()
  for (const find of FINDERS) {
    const path = await find(asked)
    if (path !== undefined) return path
  }
  throw nothing(`Nothing was found for “${asked}”.`)
}
