/** Transactions and signatures in JSON files, as `--generate-only`, `tx sign` and the family's tool write them. */
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import { createJsonWriter } from '../../api/json.ts'
import { readJson } from '../../api/json-read.ts'
import { type Tx, TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { diskFiles } from '../../node/files.ts'
import { readInputText } from '../../node/input-file.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { formatOutput, parseOutputFormat } from '../output.ts'
import type { Terminal } from '../terminal.ts'

/** Reads a message from JSON. Throws `invalidArgument` with path and field. */
export function readMessageText<Desc extends DescMessage>(
  identity: Identity,
  schema: Desc,
  text: string,
  path: string,
): MessageShape<Desc> {
  try {
    return readJson(identity, schema, text) as MessageShape<Desc>
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw queryError('invalidArgument', `${path}: ${error.message}`)
  }
}

/** Reads a transaction. Throws `invalidArgument` for a file without messages. */
export function readTxFile(identity: Identity, path: string): Tx {
  return parseTx(identity, readInputText(path), path)
}

function parseTx(identity: Identity, text: string, path: string): Tx {
  const tx = readMessageText(identity, TxSchema, text, path)
  if ((tx.body?.messages.length ?? 0) === 0) {
    throw queryError(
      'invalidArgument',
      `${path}: no transaction with messages: make one with --generate-only --output json`,
    )
  }
  return tx
}

/** The lines of a file that are not empty, with their places for errors. Throws `invalidArgument` for a file without any. */
export function readLines(path: string): { readonly text: string; readonly place: string }[] {
  const lines = readInputText(path)
    .split('\n')
    .map((text, i) => ({ text, place: `${path}, line ${i + 1}` }))
    .filter(({ text }) => text.trim() !== '')
  if (lines.length === 0)
    throw queryError('invalidArgument', `${path}: empty: it must have a document of JSON on each line`)
  return lines
}

/** Reads transactions, one a line. Throws `invalidArgument` that names file and line. */
export function readTxLines(identity: Identity, path: string): { readonly tx: Tx; readonly place: string }[] {
  return readLines(path).map(({ text, place }) => ({ tx: parseTx(identity, text, place), place }))
}

/** A message with its schema. */
export interface Document<Desc extends DescMessage> {
  readonly schema: Desc
  readonly message: MessageShape<Desc>
}

export interface DocumentFlags {
  readonly outputDocument?: string
  readonly output: string
}

/** Adds the flag of the file that a document is written to. */
export function addDocumentOptions(command: Command): Command {
  return command.option('--output-document <path>', 'write the document to this file (default: standard output)')
}

/** Prints a message as a document, or writes it to a file as JSON. */
export function writeDocument<Desc extends DescMessage>(
  identity: Identity,
  schema: Desc,
  message: MessageShape<Desc>,
  { outputDocument, output }: DocumentFlags,
  terminal: Terminal,
): void {
  const json = JSON.parse(jsonOf(identity, { schema, message })) as unknown
  if (outputDocument === undefined) terminal.print(formatOutput(json, parseOutputFormat(output)))
  else diskFiles.write(outputDocument, `${formatOutput(json, 'json')}\n`)
}

const jsonOf = <Desc extends DescMessage>(identity: Identity, { schema, message }: Document<Desc>): string =>
  createJsonWriter(identity).of(schema)(message)

/** Prints documents as JSON, one a line, or writes them to a file. */
export function writeLines(
  identity: Identity,
  documents: readonly Document<DescMessage>[],
  { outputDocument }: Pick<DocumentFlags, 'outputDocument'>,
  terminal: Terminal,
): void {
  const text = documents.map((document) => jsonOf(identity, document)).join('\n')
  if (outputDocument === undefined) terminal.print(text)
  else diskFiles.write(outputDocument, `${text}\n`)
}
