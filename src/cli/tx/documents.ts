/** `almanac tx broadcast`, `encode`, `decode`, `validate-signatures` and `simulate`: what is done with a transaction in a file. */
import { fromBinary } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import { type Tx, TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { equal, formatBase64, formatHex, parseBase64, parseHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { addressOf, decodePublicKey } from '../../sdk/public-key.ts'
import { isSignedBy } from '../../sdk/signature.ts'
import { signersOfTx } from '../../sdk/tx.ts'
import { addNodeOptions, type NodeFlags, openNode } from '../client.ts'
import { addHomeOptions } from '../keys/open.ts'
import { formatOutput, parseOutputFormat } from '../output.ts'
import { identityOfFlags, type ProfileFlags } from '../profile.ts'
import { addFactOptions, addSendOptions, txJson } from '../send-tx.ts'
import type { Terminal } from '../terminal.ts'
import { type FactFlags, type Facts, factsOf } from './account.ts'
import { simulateGas } from './fee.ts'
import { checkSendFlags, type SendFlags, sendAndPrint } from './outcome.ts'
import { decodeBytes, encodeTx, signingNames } from './signing.ts'
import { readTxFile } from './tx-file.ts'

type Flags = ProfileFlags & NodeFlags & { readonly output: string }

/** Adds the commands on transactions in files. */
export function addDocumentCommands(parent: Command, terminal: Terminal): void {
  const add = (words: string, about: string, format = 'yaml') =>
    addHomeOptions(parent.command(words).description(about)).option(
      '-o, --output <format>',
      'output format: yaml or json',
      format,
    )

  const broadcast = add('broadcast <file>', 'Send the signed transaction in a JSON file; - reads standard input')
  addSendOptions(addNodeOptions(broadcast)).action(async (file: string) => {
    const flags = broadcast.opts<Flags & SendFlags>()
    checkSendFlags(flags)
    const tx = readSignedFile(identityOfFlags(flags), file)
    await sendAndPrint(openNode(flags), encodeTx(tx), flags, parseOutputFormat(flags.output), terminal)
  })

  const encode = addHomeOptions(
    parent.command('encode <file>').description('Print the transaction in a JSON file as base64'),
  )
  encode.action((file: string) => {
    terminal.print(formatBase64(encodeTx(readTxFile(identityOfFlags(encode.opts()), file))))
  })

  const decode = add('decode <text>', 'Print a transaction in base64, or with --hex in hexadecimal digits', 'json')
  decode.option('-x, --hex', 'the text is hexadecimal').action((text: string) => {
    const { hex, ...flags } = decode.opts<Flags & { hex?: boolean }>()
    const bytes = hex ? parseHex(text) : parseBase64(text)
    if (!bytes) throw queryError('invalidArgument', `the transaction is not ${hex ? 'hexadecimal' : 'base64'}`)
    const identity = identityOfFlags(flags)
    decodeBytes(identity, bytes)
    terminal.print(formatOutput(txJson(identity, bytes), parseOutputFormat(flags.output)))
  })

  const simulate = add('simulate <file>', 'Print the gas that the transaction in a JSON file would use')
  addNodeOptions(simulate).action(async (file: string) => {
    const flags = simulate.opts<Flags>()
    const gas = await simulateGas(openNode(flags), encodeTx(readTxFile(identityOfFlags(flags), file)))
    terminal.print(formatOutput({ gas_used: gas.toString() }, parseOutputFormat(flags.output)))
  })

  const validate = add(
    'validate-signatures <file>',
    'Check the signers and signatures of the transaction in a JSON file',
  )
  addFactOptions(addNodeOptions(validate)).action((file: string) => validateSignatures(file, validate.opts(), terminal))
}

/** Reads the transaction of a file. Throws `invalidArgument` if it has no signature. */
function readSignedFile(identity: Identity, file: string): Tx {
  const tx = readTxFile(identity, file)
  if (tx.signatures.some(({ length }) => length > 0)) return tx
  throw queryError('invalidArgument', `${file}: not signed: see \`almanac tx sign\``)
}

async function validateSignatures(file: string, flags: Flags & FactFlags, terminal: Terminal): Promise<void> {
  const identity = identityOfFlags(flags)
  const bytes = encodeTx(readSignedFile(identity, file))
  const decoded = decodeBytes(identity, bytes)
  const { authInfo, signatures } = fromBinary(TxSchema, bytes)
  const signers = signersOfTx({ identity }, decoded)
  const results = []
  for (const [i, signer] of signers.entries()) {
    const info = authInfo?.signerInfos[i]
    const key = info?.publicKey && decodePublicKey(identity, info.publicKey)
    const address = formatBech32(identity.bech32.account, signer)
    const facts = await factsOf(() => openNode(flags), flags, address)
    const isValid =
      key !== undefined &&
      equal(addressOf(identity, key), signer) &&
      isSignedBy(signingNames(identity), decoded, key, info?.modeInfo, signatures[i] ?? new Uint8Array(0), facts)
    const reason = key === undefined ? 'no signature' : isValid ? 'ok' : wrongReason(facts)
    results.push({ signer: address, valid: isValid, reason })
  }
  const shown = { hash: formatHex(sha256(bytes)).toUpperCase(), signatures: results }
  terminal.print(formatOutput(shown, parseOutputFormat(flags.output)))
  if (results.some(({ valid }) => !valid)) throw queryError('failedPrecondition', 'signatures validation failed')
}

function wrongReason({ chainId, accountNumber, sequence }: Facts): string {
  return `not a signature with chain id ${chainId}, account number ${accountNumber} and sequence ${sequence}`
}
