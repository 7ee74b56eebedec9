/** The definition of a kind of action. */
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf'
import type { Actor } from '../actors.ts'
import type { Dice } from '../dice.ts'
import { message } from '../messages.ts'
import type { MessageWish, Wish } from '../transactions.ts'
import type { World } from '../world.ts'

export interface ActionKind {
  /** `bank.send`: module and verb. */
  readonly name: string
  /** Relative frequency in plans. */
  readonly weight: number
  /** Returns what the actor sends; undefined if the world has nothing to act on. */
  wish(world: World, dice: Dice, by: Actor): Wish | undefined
}

/** Returns the wish to send one message. */
export function send<Desc extends DescMessage>(
  signer: Actor,
  schema: Desc,
  init: MessageInitShape<Desc>,
  more: Pick<MessageWish, 'gas' | 'granter'> = {},
): MessageWish {
  return { kind: 'messages', signer, messages: [message(schema, init)], ...more }
}
