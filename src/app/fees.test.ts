/** Random blocks of EVM and SDK transactions: the fees paid equal the sums that validators, developers and the community get. */
import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { encodeTransaction } from '../evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../evm/transaction/sender.ts'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import * as auth from '../modules/auth/keeper.ts'
import * as bank from '../modules/bank/keeper.ts'
import * as distribution from '../modules/distribution/keeper.ts'
import { outstandingRewards } from '../modules/distribution/rewards.ts'
import { formatBech32, formatEip55, ofEd25519 } from '../primitives/address.ts'
import { EMPTY, encodeUint, utf8 } from '../primitives/bytes.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { addressOf } from '../sdk/public-key.ts'
import { encodeSigned } from '../sdk/sign-tx.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { seeded } from '../store/testing/backend-contract.ts'
import { wrapEthereumTx } from './evm/envelope.ts'
import { requireBlock } from './halt.ts'
import { localnetGenesis } from './localnet.ts'
import { testApplication } from './testing.ts'

const CHAIN_ID = 'almanac-localnet-1'
const UNIT = 10n ** 12n
const GENESIS_NS = 1_704_067_200_000_000_000n
const text = (bytes: Uint8Array) => formatBech32('chain', bytes)
const consensusKey = sha256(utf8('fees validator'))

/** Contracts that count, do nothing, revert, and loop without end; the last is not registered. */
const CODES = ['600160005401600055', '00', '60006000fd', '5b600056', '00']
const contracts = CODES.map((_, i) => encodeUint(0xc0de00n + BigInt(i), 20))
const withdrawers = CODES.map((_, i) => encodeUint(0xdead00n + BigInt(i), 20))
const ethKeys = [0, 1, 2].map((i) => sha256(utf8(`fees caller ${i}`)))
const sdkKeys = [0, 1].map((i) => sha256(utf8(`fees sender ${i}`)))
const sdkAddress = (key: Uint8Array) => addressOf(almanac, { kind: 'secp256k1', key: publicKeyOf(key) })

function start(allowedDenoms: readonly string[], share: string) {
  const app = testApplication()
  const addresses = [...ethKeys.map(addressOfPrivateKey), ...sdkKeys.map(sdkAddress)]
  const local = localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: addresses.map((address) => ({ address, balanceUnative: 10n ** 12n })),
    validators: [{ publicKey: consensusKey }],
  })
  const state = local.app_state as Record<string, Record<string, never>>
  const evm = state['evm'] as { accounts?: unknown[] }
  const genesis = {
    ...local,
    app_state: {
      ...state,
      evm: {
        ...evm,
        accounts: [
          ...(evm.accounts ?? []),
          ...contracts.map((at, i) => ({ address: formatEip55(at), code: CODES[i], storage: [] })),
        ],
      },
      devgas: {
        params: { enable_fee_share: true, developer_shares: share, allowed_denoms: allowedDenoms },
        fee_share: contracts.slice(0, -1).map((contract, i) => ({
          contract_address: text(contract),
          deployer_address: text(addresses[0]!),
          withdrawer_address: text(withdrawers[i]!),
        })),
      },
    },
  }
  const branch = createEmptyBranch()
  app.initChain(genesis as never, branch)
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
  }
}

const SCALE = 10n ** 18n

test.each([
  [1, [], '0.5'],
  [2, ['other'], '0.37'],
  [3, ['other', 'unative'], '1'],
])(
  'seed %i, denoms %o, share %s: fees paid are what validators, developers and the community get',
  (seed, denoms, share) => {
    const below = seeded(seed)
    const chain = start(denoms, share)
    const nonces = ethKeys.map(() => 0n)
    const sequences = sdkKeys.map(() => 0n)
    chain.makeBlock([])
    const denom = 'unative'
    const snapshot = () => {
      const ctx = chain.read()
      const amountOf = (coins: readonly { readonly denom: string; readonly amount: bigint }[]) =>
        coins.find((coin) => coin.denom === denom)?.amount ?? 0n
      return {
        validators: amountOf(outstandingRewards(ctx, addressOfPrivateKey(ethKeys[0]!))),
        pool: amountOf(distribution.communityPool(ctx)),
        developers: withdrawers.reduce((sum, one) => sum + bank.balanceWei(ctx, one), 0n),
        collector: bank.balanceWei(ctx, auth.feeCollector.address),
        held: bank.balance(ctx, distribution.distributionAccount.address, denom),
        supply: bank.supply(ctx, denom),
      }
    }
    let paidWei = 0n
    let earned = 0n
    let failures = 0
    const before = snapshot()
    for (let block = 0; block < 12; block++) {
      const txs: Uint8Array[] = []
      for (let i = 0; i < 8; i++) {
        if (below(3) > 0) {
          const who = below(ethKeys.length)
          const unsigned = {
            type: 0 as const,
            chainId: 6930n,
            nonce: nonces[who]!,
            gasPriceWei: UNIT + BigInt(below(3)) * 333_333_333_333n,
            gasLimit: 60_000n + BigInt(below(20_000)),
            to: contracts[below(contracts.length)]!,
            valueWei: 0n,
            data: EMPTY,
          }
          nonces[who]!++
          const tx = signTransaction(unsigned, ethKeys[who]!)
          txs.push(wrapEthereumTx(almanac, tx, keccak256(encodeTransaction(tx))))
        } else {
          const who = below(sdkKeys.length)
          // Every third sends more than the balance: the fee is paid, and the message fails.
          const amount = below(3) === 0 ? '9000000000000000' : '5'
          const message = create(MsgSendSchema, {
            fromAddress: text(sdkAddress(sdkKeys[who]!)),
            toAddress: text(addressOfPrivateKey(ethKeys[0]!)),
            amount: [{ denom, amount }],
          })
          txs.push(
            encodeSigned(
              {
                identity: almanac,
                messages: [{ schema: MsgSendSchema, message }],
                memo: '',
                timeoutHeight: 0n,
                key: { algorithm: 'secp256k1', publicKey: publicKeyOf(sdkKeys[who]!) },
                chainId: CHAIN_ID,
                accountNumber: BigInt(ethKeys.length + who),
                sequence: sequences[who]!,
              },
              { gasLimit: 200_000n, amount: [{ denom, amount: BigInt(1000 + below(9000)) }] },
              sdkKeys[who]!,
            ),
          )
          sequences[who]!++
        }
      }
      const output = chain.makeBlock(txs)
      for (const { effectiveGasPrice, gasUsed, status } of output.evmTxs) {
        paidWei += effectiveGasPrice * gasUsed
        if (status === 0) failures++
      }
      for (const { code, events } of output.results) {
        if (code !== 0) failures++
        const fee = events.find(({ type }) => type === 'tx')!.attributes.find(({ key }) => key === 'fee')!.value
        // The fee event of an Ethereum transaction is in wei and for its gas limit; the gas used is counted above.
        if (fee.endsWith(denom)) paidWei += BigInt(fee.slice(0, -denom.length)) * UNIT
        for (const { type, attributes } of events) {
          if (!type.endsWith('EventPayoutDevGas')) continue
          const payouts = JSON.parse(JSON.parse(attributes.find(({ key }) => key === 'payouts')!.value)) as {
            readonly fees_paid: readonly { readonly amount: string }[]
          }[]
          for (const { fees_paid } of payouts) earned += BigInt(fees_paid[0]!.amount)
        }
      }
    }
    // One more block, without transactions, distributes the fees of the last one.
    chain.makeBlock([])
    const after = snapshot()
    expect(failures).toBeGreaterThan(10)
    expect(after.supply).toBe(before.supply)
    const developers = after.developers - before.developers
    expect(developers).toBe(earned * UNIT)
    expect(developers > 0n).toBe(denoms.length !== 1)
    // The module's balance belongs to them to the last unit; the collector keeps less than one unit.
    const validators = after.validators - before.validators
    const community = after.pool - before.pool
    expect([validators > 0n, community > 0n]).toEqual([true, true])
    expect(validators + community).toBe((after.held - before.held) * SCALE)
    const waiting = after.collector - before.collector
    expect(((validators + community) / SCALE) * UNIT + developers + waiting).toBe(paidWei)
    expect(after.collector < UNIT).toBe(true)
  },
)
