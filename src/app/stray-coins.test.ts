/** Random blocks that send coins to the accounts of modules in every way that is left: an export is always a valid genesis. */
import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { anyPack } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { encodeTransaction } from '../evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../evm/transaction/sender.ts'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { MsgFundCommunityPoolSchema, MsgSetWithdrawAddressSchema } from '../gen/sdk/distribution/v1beta1/tx_pb.ts'
import { MsgDepositSchema, MsgSubmitProposalSchema, MsgVoteSchema } from '../gen/sdk/gov/v1/tx_pb.ts'
import { MsgDelegateSchema, MsgUndelegateSchema } from '../gen/sdk/staking/v1beta1/tx_pb.ts'
import { type BehaviourName, behavioursOf } from '../identity/behaviours.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import type { Identity } from '../identity/types.ts'
import * as auth from '../modules/auth/keeper.ts'
import * as bank from '../modules/bank/keeper.ts'
import * as staking from '../modules/staking/keeper.ts'
import { formatBech32, formatEip55, ofEd25519, ofModule } from '../primitives/address.ts'
import { concat, EMPTY, encodeUint, hex, utf8 } from '../primitives/bytes.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { addressOf } from '../sdk/public-key.ts'
import { encodeSigned } from '../sdk/sign-tx.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { seeded } from '../store/testing/backend-contract.ts'
import { wrapEthereumTx } from './evm/envelope.ts'
import { parseGenesis } from './genesis-document.ts'
import { requireBlock } from './halt.ts'
import { localnetGenesis } from './localnet.ts'
import { testApplication } from './testing.ts'
import type { GenesisDocument } from './types.ts'

const CHAIN_ID = 'almanac-localnet-1'
const UNIT = 10n ** 12n
const GENESIS_NS = 1_704_067_200_000_000_000n
const BLOCKS = 24
const text = (bytes: Uint8Array) => formatBech32('chain', bytes)
const operatorText = (bytes: Uint8Array) => formatBech32('chainvaloper', bytes)
const consensusKey = sha256(utf8('stray validator'))

const MODULES = [
  'bonded_tokens_pool',
  'distribution',
  'evm',
  'fee_collector',
  'gov',
  'inflation',
  'not_bonded_tokens_pool',
  'oracle',
  'sudo',
  'tokenfactory',
].map(ofModule)
const ethKeys = [0, 1, 2].map((i) => sha256(utf8(`stray caller ${i}`)))
const sdkKeys = [0, 1, 2].map((i) => sha256(utf8(`stray sender ${i}`)))
const sdkAddress = (key: Uint8Array) => addressOf(almanac, { kind: 'secp256k1', key: publicKeyOf(key) })
const operator = addressOfPrivateKey(ethKeys[0]!)
/** The last sender has locked half of its coins. */
const vesting = sdkAddress(sdkKeys[2]!)
const FUNDS = 10n ** 12n

// Calls the address in word 0 of the data with the value in word 1; destroys itself in favour of the address in word 0.
const CALLER = encodeUint(0xc0de01n, 20)
const CONTRACTS = [[CALLER, '600060006000600060203560003561c350f100']] as const
const destroyerInit = (heir: Uint8Array) => concat(hex('73'), heir, hex('ff'))

function genesisOf(identity: Identity): GenesisDocument {
  const addresses = [...ethKeys.map(addressOfPrivateKey), ...sdkKeys.map(sdkAddress)]
  const local = localnetGenesis({
    identity,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: addresses.map((address) => ({ address, balanceUnative: FUNDS })),
    validators: [{ publicKey: consensusKey }],
    votingPeriodMs: 20_000,
  })
  const part = (name: string) => local.app_state[name] as Record<string, object[]>
  const locked = {
    '@type': '/sdk.vesting.v1beta1.PermanentLockedAccount',
    base_vesting_account: {
      base_account: { address: text(vesting), pub_key: null, account_number: '5', sequence: '0' },
      original_vesting: [{ denom: 'unative', amount: (FUNDS / 2n).toString() }],
      delegated_free: [],
      delegated_vesting: [],
      end_time: '0',
    },
  }
  const accounts = [...part('auth')['accounts']!.slice(0, 5), locked]
  const contracts = CONTRACTS.map(([at, code]) => ({ address: formatEip55(at), code, storage: [] }))
  const evm = { ...part('evm'), accounts: [...(part('evm')['accounts'] ?? []), ...contracts] }
  return { ...local, app_state: { ...local.app_state, auth: { ...part('auth'), accounts }, evm } } as GenesisDocument
}

function start(identity: Identity) {
  const app = testApplication({ identity })
  const origin = genesisOf(identity)
  const branch = createEmptyBranch()
  app.initChain(origin, branch)
  let height = 0n
  const header = () => ({
    height,
    timeNs: GENESIS_NS + height * 1_000_000_000n,
    proposer: ofEd25519(consensusKey),
    hash: sha256(utf8(`block ${height}`)),
    lastCommitHash: new Uint8Array(32),
  })
  return {
    read: () => app.readContext(branch, header()),
    makeBlock(txs: readonly Uint8Array[]) {
      height++
      const lastCommitVotes = height > 1n ? [{ validator: ofEd25519(consensusKey), power: 1000n, signed: true }] : []
      const output = requireBlock(app.executeBlock(branch, { ...header(), txs, lastCommitVotes, evidence: [] }))
      for (const { store, key, value } of output.branch.changes()) {
        if (value === undefined) branch.delete(store, key)
        else branch.set(store, key, value)
      }
      return output
    },
    /** Starts a chain from an export of this one, and compares what it exports. */
    requireValidExport() {
      const document = app.exportGenesis(app.readContext(branch, header()), origin)
      const again = createEmptyBranch()
      app.initChain(parseGenesis(JSON.stringify(document), 'export.json'), again)
      expect(app.exportGenesis(app.readContext(again, header()), document)).toEqual(document)
    },
  }
}

type Chain = ReturnType<typeof start>

function ethereumTx(identity: Identity, chain: Chain, key: Uint8Array, below: (n: number) => number): Uint8Array {
  const nonce = auth.getAccount(chain.read(), addressOfPrivateKey(key))?.sequence ?? 0n
  const target = below(4) === 0 ? vesting : MODULES[below(MODULES.length)]!
  const valueWei = BigInt(below(5)) * (below(2) === 0 ? UNIT : 333_333_333_333n)
  const common = { type: 0 as const, chainId: 6930n, nonce, gasPriceWei: UNIT, gasLimit: 200_000n }
  const word = encodeUint(valueWei, 32)
  const fields = [
    { to: target, valueWei, data: EMPTY },
    { to: CALLER, valueWei, data: concat(new Uint8Array(12), target, word) },
    // A contract that receives wei and destroys itself at once, in favour of the target or of itself.
    { to: undefined, valueWei, data: below(3) === 0 ? hex('30ff') : destroyerInit(target) },
  ][below(3)]!
  const tx = signTransaction({ ...common, ...fields }, key)
  return wrapEthereumTx(identity, tx, keccak256(encodeTransaction(tx)))
}

function sdkTx(identity: Identity, chain: Chain, key: Uint8Array, below: (n: number) => number): Uint8Array {
  const who = text(sdkAddress(key))
  const coin = (amount: bigint) => ({ denom: 'unative', amount: amount.toString() })
  const most = below(8) === 0 ? FUNDS : 50_000_000n
  const amount = 1n + (most * BigInt(below(1000))) / 1000n
  const target = text(below(3) === 0 ? ofModule('gov') : MODULES[below(MODULES.length)]!)
  const one = <Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>) => ({ schema, message })
  const proposalId = BigInt(1 + below(3))
  const send = create(MsgSendSchema, { fromAddress: text(ofModule('gov')), toAddress: who, amount: [coin(amount)] })
  const delegation = { delegatorAddress: who, validatorAddress: operatorText(operator), amount: coin(amount) }
  const messages = [
    () => one(MsgSendSchema, create(MsgSendSchema, { fromAddress: who, toAddress: target, amount: [coin(amount)] })),
    () => one(MsgDelegateSchema, create(MsgDelegateSchema, delegation)),
    () => one(MsgUndelegateSchema, create(MsgUndelegateSchema, delegation)),
    () =>
      one(MsgFundCommunityPoolSchema, create(MsgFundCommunityPoolSchema, { depositor: who, amount: [coin(amount)] })),
    () =>
      one(
        MsgSetWithdrawAddressSchema,
        create(MsgSetWithdrawAddressSchema, { delegatorAddress: who, withdrawAddress: target }),
      ),
    () =>
      one(
        MsgSubmitProposalSchema,
        create(MsgSubmitProposalSchema, {
          proposer: who,
          initialDeposit: [coin(amount)],
          title: 'spend',
          summary: 'what lies in the account of gov',
          messages: [anyPack(MsgSendSchema, send)].map(({ value }) => ({
            typeUrl: '/sdk.bank.v1beta1.MsgSend',
            value,
          })),
        }),
      ),
    () => one(MsgDepositSchema, create(MsgDepositSchema, { depositor: who, proposalId, amount: [coin(amount)] })),
    () => one(MsgVoteSchema, create(MsgVoteSchema, { voter: who, proposalId, option: 1 })),
  ]
  const account = auth.getAccount(chain.read(), sdkAddress(key))!
  return encodeSigned(
    {
      identity,
      messages: [messages[below(messages.length)]!()],
      memo: '',
      timeoutHeight: 0n,
      key: { algorithm: 'secp256k1', publicKey: publicKeyOf(key) },
      chainId: CHAIN_ID,
      accountNumber: account.number,
      sequence: account.sequence,
    },
    { amount: [{ denom: 'unative', amount: 2_000_000n }], gasLimit: 2_000_000n },
    key,
  )
}

test.each<[number, BehaviourName[]]>([
  [1, []],
  [2, []],
  [3, ['modulesReceiveEvmValue', 'lockedCoinsMoveInEvm']],
  [4, ['modulesReceiveEvmValue']],
])('seed %i with %o: coins that reach modules change no record, and every export is a genesis', (seed, behaviours) => {
  const identity = { ...almanac, behaviours: behavioursOf(behaviours) }
  const below = seeded(seed)
  const chain = start(identity)
  let ordinary = 0
  for (let block = 0; block < BLOCKS; block++) {
    const txs = [
      ...ethKeys.map((key) => ethereumTx(identity, chain, key, below)),
      ...sdkKeys.map((key) => sdkTx(identity, chain, key, below)),
    ]
    const { results } = chain.makeBlock(txs)
    ordinary += results.slice(ethKeys.length).filter(({ code }) => code === 0).length
    const ctx = chain.read()
    const bonded = BigInt(staking.getValidator(ctx, operator)!.tokens)
    expect(staking.bondedTokens(ctx)).toBe(bonded)
    const pool = bank.balance(ctx, ofModule('bonded_tokens_pool'), 'unative')
    if (behaviours.includes('modulesReceiveEvmValue')) expect(pool).toBeGreaterThanOrEqual(bonded)
    else expect(pool).toBe(bonded)
    for (const at of MODULES) expect(auth.getAccount(ctx, at)?.kind ?? 'module').toBe('module')
    const { vesting: lock } = auth.getAccount(ctx, vesting)!
    const delegated = lock!.delegatedVesting.reduce((sum, { amount }) => sum + amount, 0n)
    if (!behaviours.includes('lockedCoinsMoveInEvm')) {
      expect(bank.balance(ctx, vesting, 'unative')).toBeGreaterThanOrEqual(FUNDS / 2n - delegated)
    }
    if (block % 6 === 5) chain.requireValidExport()
  }
  expect(ordinary).toBeGreaterThan(BLOCKS / 2)
})
