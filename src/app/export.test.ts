import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { decodeTransaction } from '../evm/transaction/decode.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { identityOf } from '../identity/profiles.ts'
import type { Identity } from '../identity/types.ts'
import { formatBech32, ofModule } from '../primitives/address.ts'
import { EMPTY, formatHex, hex, utf8 } from '../primitives/bytes.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { parseRfc3339 } from '../primitives/time.ts'
import { createEmptyBranch } from '../store/branch.ts'
import type { Branch } from '../store/types.ts'
import { wrapEthereumTx } from './evm/envelope.ts'
import { parseGenesis } from './genesis-document.ts'
import { requireBlock } from './halt.ts'
import { localnetGenesis } from './localnet.ts'
import { testApplication } from './testing.ts'
import type { Application, GenesisDocument } from './types.ts'

/** Records without a field in genesis documents (D52): store, start of the key in hex, and the words in the documentation. */
const NOT_CARRIED = [
  ['staking', '37', 'number of the last unbonding operation'],
  ['staking', '39', 'types of completed unbonding operations'],
  ['staking', '50', 'headers and validator sets of past heights'],
  ['staking', '61', 'changes of the validator set in the last block'],
  ['evm', '08', 'accumulated wei by which blocks did not balance'],
  ['x', '03', 'values pretended by development verbs'],
  ['x', '31', 'operators of retired consensus keys'],
] as const

const docs = readFileSync(resolve('docs/operating.md'), 'utf8')

test.each(NOT_CARRIED)('the documentation lists the records of %s (%s) that an export omits', (_store, _key, words) => {
  expect(docs.includes(words)).toBe(true)
})

function texts(branch: Branch): Map<string, string> {
  const left = branch.changes().filter(({ store, key, value }) => {
    if (value === undefined) return false
    return !NOT_CARRIED.some(([name, start]) => name === store && formatHex(key).startsWith(start))
  })
  return new Map(left.map(({ store, key, value }) => [`${store} ${formatHex(key)}`, formatHex(value!)]))
}

function applicationOf(identity: Identity, chainId: string): Application {
  return testApplication({ identity, chainId })
}

function exported(app: Application, state: Branch, height: bigint, timeNs: bigint, origin: GenesisDocument) {
  const block = { height, timeNs, proposer: EMPTY, hash: EMPTY, lastCommitHash: EMPTY }
  return app.exportGenesis(app.readContext(state, block), origin)
}

const TIME = '2024-01-01T00:00:00Z'
const CHAIN_ID = 'almanac-localnet-1'
const holder = (byte: number) => new Uint8Array(20).fill(byte)
const account = (byte: number) => formatBech32('chain', holder(byte))
const operator = (byte: number) => formatBech32('chainvaloper', holder(byte))
const coins = (amount: bigint) => [{ denom: 'unative', amount: amount.toString() }]
const base = (byte: number, number: string) => ({
  address: account(byte),
  pub_key: null,
  account_number: number,
  sequence: '3',
})
const vesting = (byte: number, number: string) => ({
  base_account: base(byte, number),
  original_vesting: coins(500n),
  delegated_free: [],
  delegated_vesting: coins(20n),
  end_time: '1893456000',
})
const evmKey = privateKeyToAccount(`0x${formatHex(sha256(utf8('an EVM key')))}`)

/** Returns a localnet with an example of everything that a genesis document can contain. */
function richGenesis(): GenesisDocument {
  const local = localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: TIME,
    accounts: [{ address: hex(evmKey.address), balanceUnative: 5_000_000n }],
    validators: [{ publicKey: sha256(utf8('a validator')) }],
  })
  const part = (name: string) => local.app_state[name] as Record<string, object[]>
  const [auth, bank, staking] = [part('auth'), part('bank'), part('staking')]
  const unbondingTime = '2024-01-20T00:00:00Z'
  const leaving = {
    ...staking['validators']![0],
    operator_address: operator(2),
    consensus_pubkey: { '@type': '/sdk.crypto.ed25519.PubKey', key: Buffer.alloc(32, 2).toString('base64') },
    jailed: true,
    status: 'BOND_STATUS_UNBONDING',
    tokens: '700',
    delegator_shares: '1000.000000000000000000',
    unbonding_height: '7',
    unbonding_time: unbondingTime,
    unbonding_on_hold_ref_count: '0',
    unbonding_ids: ['4'],
  }
  const entry = { creation_height: '3', completion_time: unbondingTime, initial_balance: '90' }
  return {
    ...local,
    app_state: {
      ...local.app_state,
      auth: {
        ...auth,
        accounts: [
          ...auth['accounts']!,
          {
            '@type': '/sdk.vesting.v1beta1.ContinuousVestingAccount',
            base_vesting_account: vesting(11, '5'),
            start_time: '7',
          },
          { '@type': '/sdk.vesting.v1beta1.DelayedVestingAccount', base_vesting_account: vesting(12, '6') },
          { '@type': '/sdk.vesting.v1beta1.PermanentLockedAccount', base_vesting_account: vesting(13, '9') },
          {
            '@type': '/sdk.vesting.v1beta1.PeriodicVestingAccount',
            base_vesting_account: vesting(14, '10'),
            start_time: '8',
            vesting_periods: [{ length: '60', amount: coins(500n) }],
          },
          { '@type': '/sdk.auth.v1beta1.BaseAccount', ...base(15, '11') },
        ],
      },
      bank: {
        ...bank,
        balances: [
          ...bank['balances']!,
          { address: account(15), coins: [{ denom: 'ufoo', amount: '12' }, ...coins(77n)] },
          { address: formatBech32('chain', ofModule('not_bonded_tokens_pool')), coins: coins(790n) },
        ],
        supply: [],
        wei_balances: [
          { addr_bech32: account(15), wei_store_bal: '400000000000' },
          { addr_bech32: account(16), wei_store_bal: '600000000000' },
        ],
        send_enabled: [{ denom: 'ufoo', enabled: false }],
      },
      staking: {
        ...staking,
        validators: [...staking['validators']!, leaving],
        delegations: [
          ...staking['delegations']!,
          { delegator_address: account(15), validator_address: operator(2), shares: '1000.000000000000000000' },
        ],
        unbonding_delegations: [
          {
            delegator_address: account(15),
            validator_address: operator(2),
            entries: [{ ...entry, balance: '90', unbonding_id: '2' }],
          },
        ],
        redelegations: [
          {
            delegator_address: account(15),
            validator_src_address: operator(2),
            validator_dst_address: formatBech32('chainvaloper', hex(evmKey.address)),
            entries: [{ ...entry, shares_dst: '90.000000000000000000', unbonding_id: '3' }],
          },
        ],
      },
      sudo: {
        sudoers: { root: account(15), contracts: [account(12)] },
        zero_gas_actors: { senders: [account(11)], contracts: [`0x${'ab'.repeat(20)}`] },
      },
      oracle: {
        ...part('oracle'),
        exchange_rates: [{ pair: 'ubtc:uusd', exchange_rate: '64250.500000000000000000' }],
        rate_origins: [{ pair: 'ubtc:uusd', created_block: '77', block_timestamp_ms: '1704067100123' }],
        past_prices: [
          { pair: 'ubtc:uusd', price: '64250.500000000000000000', time: '2023-12-31T23:58:20.123456789Z' },
          { pair: 'ueth:uusd', price: '3100.000000000000000000', time: '2023-12-31T23:58:20Z' },
        ],
        next_reward_id: '7',
      },
      wasm: { params: { vote_period: '30' }, codes: [1, 2] },
    },
  }
}

/** Returns a chain at its second block, with a contract that a transaction created. */
async function run(app: Application, document: GenesisDocument) {
  const state = createEmptyBranch()
  const { validators } = app.initChain(document, state)
  const fees = { gas: 200_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 0n }
  // PUSH1 7 PUSH1 1 SSTORE; then returns one byte of code, STOP.
  const data = '0x600760015560015ff3' as const
  const raw = hex(await evmKey.signTransaction({ chainId: 6930, type: 'eip1559', nonce: 0, data, value: 3n, ...fees }))
  const timeNs = parseRfc3339(TIME)! + 5_000_000_000n
  const output = requireBlock(
    app.executeBlock(state, {
      height: 1n,
      timeNs,
      proposer: validators[0]!.address,
      hash: sha256(utf8('hash')),
      lastCommitHash: sha256(utf8('commit')),
      txs: [wrapEthereumTx(almanac, decodeTransaction(raw), keccak256(raw))],
      lastCommitVotes: [],
      evidence: [],
    }),
  )
  expect(output.evmTxs[0]).toMatchObject({ status: 1 })
  for (const { store, key, value } of output.branch.changes()) {
    if (value === undefined) state.delete(store, key)
    else state.set(store, key, value)
  }
  return { state, timeNs }
}

test('a chain that starts from an export has the same keys and values, and exports the same document', async () => {
  const app = applicationOf(almanac, CHAIN_ID)
  const origin = richGenesis()
  const { state, timeNs } = await run(app, origin)
  const document = exported(app, state, 1n, timeNs, origin)
  expect(document.app_state['wasm']).toEqual(origin.app_state['wasm'])
  const again = createEmptyBranch()
  app.initChain(parseGenesis(JSON.stringify(document), 'export.json'), again)
  expect(texts(again)).toEqual(texts(state))
  expect([...texts(state).keys()].filter((key) => key.startsWith('x 01'))).toHaveLength(1)
  expect(exported(app, again, 1n, timeNs, document)).toEqual(document)
})

const recording = resolve('../shared/recordings/reference-1')

if (existsSync(recording)) {
  const read = (name: string) => gunzipSync(readFileSync(`${recording}/${name}.gz`)).toString()
  const sections = [
    'auth',
    'bank',
    'distribution',
    'epochs',
    'evm',
    'genutil',
    'inflation',
    'oracle',
    'slashing',
    'staking',
    'sudo',
    'tokenfactory',
  ]

  test('the export of the recorded state equals the reference’s, and a chain starts from it', () => {
    const origin = parseGenesis(read('genesis.json'), 'genesis.json')
    const app = applicationOf(identityOf('nibiru'), origin.chain_id)
    const state = createEmptyBranch()
    for (const line of read('changes.jsonl').trimEnd().split('\n')) {
      const { changes } = JSON.parse(line) as {
        changes: { store: string; key: string; value?: string; delete?: true }[]
      }
      for (const { store, key, value = '', delete: gone } of changes) {
        if (gone) state.delete(store, hex(key))
        else state.set(store, hex(key), hex(value))
      }
    }
    const ours = exported(app, state, 419n, parseRfc3339('2026-11-21T07:54:30Z')!, origin)
    const theirs = JSON.parse(read('export.json')) as GenesisDocument
    expect([ours.chain_id, ours.initial_height]).toEqual([theirs.chain_id, theirs.initial_height])
    expect(ours.consensus_params).toEqual(theirs.consensus_params)
    expect(ours.validators).toEqual(theirs.validators)
    for (const name of sections) expect(ours.app_state[name], name).toEqual(theirs.app_state[name])
    const again = createEmptyBranch()
    expect(app.initChain(ours, again).validators).toHaveLength(theirs.validators!.length)
    for (const name of sections) {
      expect(exported(app, again, 419n, 0n, ours).app_state[name], name).toEqual(ours.app_state[name])
    }
  })
}
