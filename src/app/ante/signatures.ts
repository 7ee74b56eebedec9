/** Keys, signatures and sequences of the signers (docs/transactions.md#signatures). */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import type { SignerInfo } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import * as auth from '../../modules/auth/keeper.ts'
import { equal, formatBase64 } from '../../primitives/bytes.ts'
import { errors } from '../../sdk/errors.ts'
import { addressOf, countKeys, decodePublicKey, encodePublicKey, type PublicKey } from '../../sdk/public-key.ts'
import { isSignedBy, presentKeys, usesAmino } from '../../sdk/signature.ts'
import type { AnteContext } from './context.ts'
import { payerOf } from './fee.ts'

const SECP256R1_GAS = 500n

/** Replaces an unknown key in gas estimates. */
const DUMMY_KEY: PublicKey = { kind: 'secp256k1', key: new Uint8Array(33) }

function accountOf({ ctx }: AnteContext, signer: Uint8Array): auth.Account {
  const account = auth.getAccount(ctx, signer)
  if (!account) throw errors.unknownAddress(`account ${address.format(ctx, signer)} does not exist`)
  return account
}

/** Stores the transaction's keys in accounts without a key. A key must match the signer's address. */
export function setPublicKeys(ante: AnteContext): void {
  const { ctx, tx, mode, signers } = ante
  for (const [i, signer] of signers.entries()) {
    const given = tx.authInfo.signerInfos[i]?.publicKey
    if (!given) continue
    const key = decodePublicKey(ctx.identity, given)
    if (mode !== 'simulate' && !equal(addressOf(ctx.identity, key), signer)) {
      throw errors.invalidPubKey(
        `pubKey does not match signer address ${address.format(ctx, signer)} with signer index: ${i}`,
      )
    }
    const account = accountOf(ante, signer)
    if (account.publicKey) continue
    auth.setAccount(ctx, { ...account, publicKey: encodePublicKey(ctx.identity, key) })
  }
  emitSignatureEvents(ante)
}

function emitSignatureEvents({ ctx, tx, signers }: AnteContext): void {
  for (const [i, signer] of signers.entries()) {
    const sequence = tx.authInfo.signerInfos[i]?.sequence ?? 0n
    ctx.emitEvent('tx', { acc_seq: `${address.format(ctx, signer)}/${sequence}` })
  }
  for (const signature of tx.raw.signatures) ctx.emitEvent('tx', { signature: formatBase64(signature) })
}

/** Returns the account's key; in a simulation a dummy replaces a missing key. Throws sdk 8 for a missing key. */
function keyOf({ ctx, mode }: AnteContext, account: auth.Account): PublicKey {
  if (account.publicKey) return decodePublicKey(ctx.identity, account.publicKey)
  if (mode === 'simulate') return DUMMY_KEY
  throw errors.invalidPubKey('pubkey on account is not set')
}

/** Limits the keys in the transaction. The key of an account was counted in the transaction that set it. */
export function limitKeys({ ctx, tx }: AnteContext): void {
  const limit = auth.params(ctx).txSigLimit
  let count = 0n
  for (const { publicKey } of tx.authInfo.signerInfos) {
    if (publicKey) count += BigInt(countKeys(decodePublicKey(ctx.identity, publicKey)))
    if (count > limit) throw errors.tooManySignatures(`signatures: ${count}, limit: ${limit}`)
  }
}

/** Charges gas for the verification of each signature. */
export function chargeSignatures(ante: AnteContext): void {
  for (const [i, signer] of ante.signers.entries()) {
    chargeKey(ante, keyOf(ante, accountOf(ante, signer)), ante.tx.authInfo.signerInfos[i]?.modeInfo)
  }
}

/** Charges gas for a key. Bounded by: the keys within a key. */
function chargeKey(ante: AnteContext, key: PublicKey, modeInfo: SignerInfo['modeInfo']): void {
  const { ctx } = ante
  const params = auth.params(ctx)
  switch (key.kind) {
    case 'secp256k1':
      ctx.gas.consume(params.sigVerifyCostSecp256k1, 'ante verify: secp256k1')
      break
    case 'ethSecp256k1':
      ctx.gas.consume(params.sigVerifyCostSecp256k1, 'ante verify: eth_secp256k1')
      break
    case 'secp256r1':
      ctx.gas.consume(SECP256R1_GAS, 'ante verify: secp256r1')
      break
    case 'ed25519':
      ctx.gas.consume(params.sigVerifyCostEd25519, 'ante verify: ed25519')
      throw errors.invalidPubKey('ED25519 public keys are unsupported')
    case 'multisig': {
      const sum = modeInfo?.sum
      const present = sum?.case === 'multi' ? presentKeys(key, sum.value.bitarray) : key.keys.slice(0, key.threshold)
      if (!present) throw errors.unauthorized('the bit array of the multisig does not fit its keys')
      for (const [i, part] of present.entries()) {
        chargeKey(ante, part, sum?.case === 'multi' ? sum.value.modeInfos[i] : undefined)
      }
    }
  }
}

/** Verifies sequences and signatures. A recheck skips the signatures, which were valid for the same bytes. */
export function verifySignatures(ante: AnteContext): void {
  const { ctx, tx, mode, signers } = ante
  const payer = payerOf(ante)
  for (const [i, signer] of signers.entries()) {
    const account = accountOf(ante, signer)
    const key = keyOf(ante, account)
    const info = tx.authInfo.signerInfos[i]
    const sequence = info?.sequence ?? 0n
    if (sequence !== account.sequence) {
      throw errors.wrongSequence(`account sequence mismatch, expected ${account.sequence}, got ${sequence}`)
    }
    if (mode === 'simulate' || mode === 'recheck') continue
    const facts = {
      chainId: ctx.block.chainId,
      accountNumber: ctx.block.height === 0n ? 0n : account.number,
      sequence: account.sequence,
      publicKey: account.publicKey && create(AnySchema, account.publicKey),
      paysNothing: !equal(signer, payer),
    }
    if (!isSignedBy(ctx, tx, key, info?.modeInfo, tx.raw.signatures[i]!, facts)) {
      const bound = usesAmino(info?.modeInfo)
        ? `account number (${facts.accountNumber}), sequence (${facts.sequence}) and chain-id (${facts.chainId})`
        : `account number (${facts.accountNumber}) and chain-id (${facts.chainId})`
      throw errors.unauthorized(`signature verification failed; please verify ${bound}`)
    }
  }
}

/** Increments the sequence of each signer. */
export function incrementSequences(ante: AnteContext): void {
  for (const signer of ante.signers) auth.incrementSequence(ante.ctx, accountOf(ante, signer))
}
