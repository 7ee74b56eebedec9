/** The context that the steps of admission share. */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import type { Context, ReadContext } from '../../sdk/context.ts'
import type { DecodedTx } from '../../sdk/tx.ts'
import type { AdmissionSettings } from '../transaction.ts'
import type { CheckMode } from '../types.ts'

export interface AnteContext {
  readonly ctx: Context
  readonly tx: DecodedTx
  readonly mode: CheckMode | 'deliver'
  readonly settings: AdmissionSettings
  /** Addresses that must sign, each once. */
  readonly signers: readonly Uint8Array[]
  /** Runs the stateless checks of a message, if its module has any. */
  readonly validate: (ctx: ReadContext, schema: DescMessage, message: Message) => void
}
