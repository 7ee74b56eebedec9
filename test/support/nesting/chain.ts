/** A chain of generated transactions, whose results and app hashes are digested. */
import { createHash } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import { createApplication } from '../../../src/app/application.ts'
import { localnetGenesis } from '../../../src/app/localnet.ts'
import { ALMANAC_STORES } from '../../../src/app/stores.ts'
import { createExecutor } from '../../../src/consensus/executor.ts'
import { propose, storedBlock } from '../../../src/consensus/solo/propose.ts'
import { addressOfPrivateKey } from '../../../src/evm/transaction/sender.ts'
import { PubKeySchema } from '../../../src/gen/sdk/crypto/secp256k1/keys_pb.ts'
import { SignMode } from '../../../src/gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, SignDocSchema, TxBodySchema, TxRawSchema } from '../../../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { almanac } from '../../../src/identity/profiles/almanac.ts'
import * as auth from '../../../src/modules/auth/keeper.ts'
import { formatBech32, ofSecp256k1 } from '../../../src/primitives/address.ts'
import { formatHex, utf8 } from '../../../src/primitives/bytes.ts'
import { sha256 } from '../../../src/primitives/hash.ts'
import { publicKeyOf, signBytesWith } from '../../../src/sdk/crypto.ts'
import { openMemory } from '../../../src/store/backend/memory.ts'
import { openVersionedStore } from '../../../src/store/versioned.ts'
import type { Packed } from './containers.ts'

const CHAIN_ID = 'almanac-localnet-1'
const AUTHORS = 20
const NATIVE = 10n ** 15n
const STEP_NS = 1_000_000_000n

/** An account that signs, with one transaction a block. */
export interface Author {
  readonly privateKey: Uint8Array
  readonly address: Uint8Array
  readonly text: string
  readonly evmAddress: Uint8Array
}

export const authors: readonly Author[] = Array.from({ length: AUTHORS }, (_, i) => {
  const privateKey = sha256(utf8(`author ${i}`))
  const address = ofSecp256k1(publicKeyOf(privateKey))
  return { privateKey, address, text: formatBech32('chain', address), evmAddress: addressOfPrivateKey(privateKey) }
})

export interface DigestedChain {
  /** Returns a transaction of the author with these messages, for the next block. */
  sign(author: Author, messages: readonly Packed[], gasLimit: bigint): Uint8Array
  /** Returns the nonce of an address in the state. */
  nonceOf(address: Uint8Array): bigint
  /** Executes and commits a block. Throws for anything that is not the result of a transaction. */
  block(txs: readonly Uint8Array[]): void
  /** Returns the digest of the results and app hashes so far. */
  digest(): string
  /** Returns the number of results by codespace and code. */
  outcomes(): Readonly<Record<string, number>>
}

const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value instanceof Uint8Array ? formatHex(value) : value

export function createDigestedChain(): DigestedChain {
  const publicKey = sha256(utf8('validator'))
  const signer = { address: sha256(publicKey).slice(0, 20), sign: (message: Uint8Array) => sha256(message) }
  const executor = createExecutor({
    app: createApplication({
      identity: almanac,
      chainId: CHAIN_ID,
      evmChainId: 6930n,
      settings: { minGasPrices: '' },
      onBug(error) {
        throw error
      },
    }),
    store: openVersionedStore(openMemory(), ALMANAC_STORES),
    elapsed: () => 0,
    onHalt({ reason }) {
      throw new Error(reason)
    },
    onListenerFailure(error) {
      throw error
    },
  })
  executor.begin(
    localnetGenesis({
      identity: almanac,
      chainId: CHAIN_ID,
      genesisTime: '2024-01-01T00:00:00Z',
      accounts: authors.flatMap(({ address, evmAddress }) => [
        { address, balanceUnative: NATIVE },
        { address: evmAddress, balanceUnative: NATIVE },
      ]),
      validators: [{ publicKey }],
      blockGasLimit: 1_000_000_000_000n,
    }),
  )
  const hash = createHash('sha256')
  const outcomes: Record<string, number> = {}

  function block(txs: readonly Uint8Array[]): void {
    const before = executor.tip()
    const proposal = propose(before, txs, before.timeNs + STEP_NS, [signer])
    const executed = executor.execute(proposal.input)
    for (const { codespace, code } of executed.output.results) {
      const name = `${codespace} ${code}`
      outcomes[name] = (outcomes[name] ?? 0) + 1
    }
    const prepared = executor.prepare(executed, (appHash) => storedBlock(proposal, before, executed.output, appHash))
    const { nextAppHash } = prepared.commit()
    hash.update(JSON.stringify([executed.output.results, nextAppHash], plain))
  }

  block([])
  const accountOf = (address: Uint8Array) => executor.read((ctx) => auth.getAccount(ctx, address))

  return {
    sign(author, messages, gasLimit) {
      const { number = 0n, sequence = 0n } = accountOf(author.address) ?? {}
      const bodyBytes = toBinary(TxBodySchema, create(TxBodySchema, { messages: [...messages] }))
      const key = create(PubKeySchema, { key: publicKeyOf(author.privateKey) })
      const authInfo = create(AuthInfoSchema, {
        signerInfos: [
          {
            publicKey: { typeUrl: `/${PubKeySchema.typeName}`, value: toBinary(PubKeySchema, key) },
            modeInfo: { sum: { case: 'single', value: { mode: SignMode.DIRECT } } },
            sequence,
          },
        ],
        fee: { gasLimit },
      })
      const authInfoBytes = toBinary(AuthInfoSchema, authInfo)
      const signDoc = create(SignDocSchema, { bodyBytes, authInfoBytes, chainId: CHAIN_ID, accountNumber: number })
      const signature = signBytesWith('secp256k1', toBinary(SignDocSchema, signDoc), author.privateKey)
      return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [signature] }))
    },
    nonceOf: (address) => accountOf(address)?.sequence ?? 0n,
    block,
    digest: () => hash.copy().digest('hex'),
    outcomes: () => outcomes,
  }
}
