/** Fields that the wire form always contains, even if unset (docs/state-layout.md#values). */
import { create, type DescField, type DescMessage, type Message, type MessageShape } from '@bufbuild/protobuf'
import { non_null, Scalar, scalar } from '../gen/almanac/options_pb.ts'
import { utf8 } from '../primitives/bytes.ts'
import { toTimestamp, ZERO_TIME_NS } from '../primitives/time.ts'
import { fieldOption } from './options.ts'

type Slots = Record<string, unknown>
type Step = (message: Slots) => void

const ZERO_TIME = toTimestamp(ZERO_TIME_NS)
const ZERO_DIGIT = utf8('0')

const plans = new Map<DescMessage, readonly Step[]>()

/**
 * Sets the fields that are never absent, at every depth: non-null sub-messages and times (the zero time is year 1), and the
 * digits of zero decimals and integers. Changes the message and returns it. Must be called before encoding a message that is
 * stored, hashed or signed.
 */
export function complete<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): MessageShape<Desc> {
  run(planOf(schema), message)
  return message
}

function run(plan: readonly Step[], message: Message): void {
  for (const step of plan) step(message as unknown as Slots)
}

/** Returns the plan of a type. Bounded by: the number of types in the descriptors. */
function planOf(schema: DescMessage): readonly Step[] {
  const known = plans.get(schema)
  if (known) return known
  const plan: Step[] = []
  // Stored before its fields are visited, since message types can contain themselves.
  plans.set(schema, plan)
  for (const field of schema.fields) {
    const step = stepOf(field)
    if (step) plan.push(step)
  }
  return plan
}

/** Returns the step of a field. Bounded by: `planOf`. */
function stepOf(field: DescField): Step | undefined {
  const name = field.localName
  const oneof = field.oneof
  if (oneof) {
    if (!field.message) return undefined
    const plan = planOf(field.message)
    return (message) => {
      const member = message[oneof.localName] as { case?: string; value?: Message }
      if (member.case === name) run(plan, member.value!)
    }
  }
  if (field.fieldKind === 'message') return messageStep(field, field.message)
  if (field.fieldKind === 'list') {
    if (field.listKind !== 'message') return undefined
    const plan = planOf(field.message)
    return (message) => {
      for (const item of message[name] as readonly Message[]) run(plan, item)
    }
  }
  const zero = fieldOption(field, non_null, false) ? zeroOf(field) : undefined
  if (zero === undefined) return undefined
  return (message) => {
    if ((message[name] as string | Uint8Array).length === 0) message[name] = zero
  }
}

/** Returns the step of a message field. Bounded by: `planOf`. */
function messageStep(field: DescField, type: DescMessage): Step {
  const name = field.localName
  const plan = planOf(type)
  const needed = fieldOption(field, non_null, false)
  const init = type.typeName === 'google.protobuf.Timestamp' ? ZERO_TIME : {}
  return (message) => {
    if (message[name] === undefined) {
      if (!needed) return
      message[name] = create(type, init as never)
    }
    run(plan, message[name] as Message)
  }
}

function zeroOf(field: DescField): string | Uint8Array | undefined {
  const kind = fieldOption(field, scalar, Scalar.UNSPECIFIED)
  if (kind === Scalar.EVM_ADDRESS) return new Uint8Array(20)
  if (kind !== Scalar.DECIMAL && kind !== Scalar.INTEGER) return undefined
  return field.scalar === 12 ? ZERO_DIGIT : '0'
}
