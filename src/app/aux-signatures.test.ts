import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { SignMode } from '../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, SignDocDirectAuxSchema, TxBodySchema, TxRawSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import * as bank from '../modules/bank/keeper.ts'
import { formatBech32, ofSecp256k1 } from '../primitives/address.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { publicKeyOf, signBytesWith } from '../sdk/crypto.ts'
import { encodePublicKey } from '../sdk/public-key.ts'
import { directSignBytes } from '../sdk/sign-bytes.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { requireBlock } from './halt.ts'
import { localnetGenesis } from './localnet.ts'
import { testApplication } from './testing.ts'

const CHAIN_ID = 'almanac-localnet-1'
const BLOCK = {
  height: 1n,
  timeNs: 1_704_067_201_000_000_000n,
  proposer: EMPTY,
  hash: sha256(EMPTY),
  lastCommitHash: EMPTY,
}

const person = (n: number) => {
  const privateKey = sha256(Uint8Array.of(n))
  const publicKey = publicKeyOf(privateKey)
  const address = ofSecp256k1(publicKey)
  const any = create(AnySchema, encodePublicKey(almanac, { kind: 'secp256k1', key: publicKey }))
  return { privateKey, address, any, text: formatBech32('chain', address), number: BigInt(n - 1) }
}
const sender = person(1)
const payer = person(2)

interface Signer {
  readonly who: typeof sender
  readonly mode: SignMode
}

/** Returns a transfer with these signatures; the payer pays the fee if one is named, else the sender. */
function transfer(signers: readonly Signer[], payerText = ''): Uint8Array {
  const amount = [{ denom: 'unative', amount: '5' }]
  const message = create(MsgSendSchema, { fromAddress: sender.text, toAddress: payer.text, amount })
  const value = toBinary(MsgSendSchema, message)
  const messages = [{ typeUrl: `/${MsgSendSchema.typeName}`, value }]
  const bodyBytes = toBinary(TxBodySchema, create(TxBodySchema, { messages }))
  const authInfo = create(AuthInfoSchema, {
    signerInfos: signers.map(({ who, mode }) => ({
      publicKey: who.any,
      modeInfo: { sum: { case: 'single' as const, value: { mode } } },
    })),
    fee: { amount: [{ denom: 'unative', amount: '300' }], gasLimit: 200_000n, payer: payerText },
  })
  const authInfoBytes = toBinary(AuthInfoSchema, authInfo)
  const signatures = signers.map(({ who, mode }) => {
    const facts = { chainId: CHAIN_ID, accountNumber: who.number }
    const aux = create(SignDocDirectAuxSchema, { bodyBytes, publicKey: who.any, ...facts })
    const signed =
      mode === SignMode.DIRECT_AUX
        ? toBinary(SignDocDirectAuxSchema, aux)
        : directSignBytes({ bodyBytes, authInfoBytes }, facts)
    return signBytesWith('secp256k1', signed, who.privateKey)
  })
  return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures }))
}

function execute(tx: Uint8Array) {
  const app = testApplication()
  const state = createEmptyBranch()
  const genesis = localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [sender, payer].map(({ address }) => ({ address, balanceUnative: 1_000_000n })),
    validators: [{ publicKey: sha256(Uint8Array.of(9)) }],
  })
  app.initChain(genesis, state)
  const { branch, results } = requireBlock(
    app.executeBlock(state, { ...BLOCK, txs: [tx], lastCommitVotes: [], evidence: [] }),
  )
  const ctx = app.readContext(branch, BLOCK)
  return { result: results[0]!, balances: [sender, payer].map(({ address }) => bank.balance(ctx, address, 'unative')) }
}

test('a signer who does not pay the fee can sign without it', () => {
  const signers = [
    { who: sender, mode: SignMode.DIRECT_AUX },
    { who: payer, mode: SignMode.DIRECT },
  ]
  const { result, balances } = execute(transfer(signers, payer.text))
  expect([result.code, balances]).toEqual([0, [999_995n, 999_705n]])
})

test('the fee payer cannot sign without the fee, which others could then choose', () => {
  const text =
    'signature verification failed; please verify account number (0) and chain-id (almanac-localnet-1): unauthorized'
  for (const payerText of ['', sender.text]) {
    const { result, balances } = execute(transfer([{ who: sender, mode: SignMode.DIRECT_AUX }], payerText))
    expect(result).toMatchObject({ codespace: 'sdk', code: 4, log: text })
    expect(balances).toEqual([1_000_000n, 1_000_000n])
  }
  const other = text.replace('(0)', '(1)')
  const both = [
    { who: sender, mode: SignMode.DIRECT },
    { who: payer, mode: SignMode.DIRECT_AUX },
  ]
  expect(execute(transfer(both, payer.text)).result).toMatchObject({ codespace: 'sdk', code: 4, log: other })
})
