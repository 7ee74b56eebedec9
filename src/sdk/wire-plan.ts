/** Properties of message types that the scanner of the wire form uses, made once for each type. */
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'

export const VARINT = 0
export const BIT64 = 1
export const DELIMITED = 2
export const GROUP = 3
export const GROUP_END = 4
export const BIT32 = 5

/** The scanned properties of a field. */
export interface FieldPlan {
  readonly name: string
  readonly wireType: number
  /** Wire type of the elements of a list that can be packed; absent for other fields. */
  readonly packed: number | undefined
  readonly isText: boolean
  readonly message: Plan | undefined
  /** Bit of a message field that is not a list, which can occur once; 0 for others. */
  readonly once: number
}

/** The scanned properties of a message type. */
export interface Plan {
  readonly schema: DescMessage
  readonly fields: (FieldPlan | undefined)[]
  readonly isAny: boolean
  readonly isTime: boolean
}

const plans = new WeakMap<DescMessage, Plan>()

/** Returns the plan of a type. */
export function planOf(schema: DescMessage): Plan {
  return plans.get(schema) ?? makePlans(schema)
}

/** Makes the plans of a type and of the types within it. */
function makePlans(root: DescMessage): Plan {
  const made = (schema: DescMessage): Plan => {
    const known = plans.get(schema)
    if (known) return known
    const { typeName } = schema
    const isTime = typeName === 'google.protobuf.Timestamp' || typeName === 'google.protobuf.Duration'
    const plan: Plan = { schema, fields: [], isAny: typeName === 'google.protobuf.Any', isTime }
    plans.set(schema, plan)
    unfinished.push(plan)
    return plan
  }
  const unfinished: Plan[] = []
  const plan = made(root)
  for (let next = unfinished.pop(); next; next = unfinished.pop()) {
    let bit = 1
    for (const field of next.schema.fields) {
      const isOnce = field.fieldKind === 'message'
      next.fields[field.number] = fieldPlan(next, field, isOnce ? bit : 0, made)
      if (isOnce) bit *= 2
    }
    if (bit > 2 ** 31) throw new TypeError(`${next.schema.typeName} has over 31 message fields`)
  }
  return plan
}

function fieldPlan(parent: Plan, field: DescField, once: number, made: (schema: DescMessage) => Plan): FieldPlan {
  const { name } = field
  if (field.fieldKind === 'map') return { ...entryField(parent, field, made), name }
  if (field.message) {
    if ('delimitedEncoding' in field && field.delimitedEncoding) throw new TypeError(`${field}: a group has no plan`)
    return { name, wireType: DELIMITED, packed: undefined, isText: false, message: made(field.message), once }
  }
  return scalarField(name, field.enum ? ScalarType.INT32 : (field.scalar as ScalarType), field.fieldKind === 'list')
}

function scalarField(name: string, type: ScalarType, isList: boolean): FieldPlan {
  const wireType = wireTypeOf(type)
  const packed = isList && wireType !== DELIMITED ? wireType : undefined
  return { name, wireType, packed, isText: type === ScalarType.STRING, message: undefined, once: 0 }
}

/** Returns the plan of a map, whose entries are messages of a key and a value. */
function entryField(
  { schema }: Plan,
  field: DescField & { fieldKind: 'map' },
  made: (schema: DescMessage) => Plan,
): FieldPlan {
  const value: FieldPlan = field.message
    ? { name: 'value', wireType: DELIMITED, packed: undefined, isText: false, message: made(field.message), once: 1 }
    : scalarField('value', field.enum ? ScalarType.INT32 : (field.scalar as ScalarType), false)
  const fields = [undefined, scalarField('key', field.mapKey, false), value]
  const message: Plan = { schema, fields, isAny: false, isTime: false }
  return { name: field.name, wireType: DELIMITED, packed: undefined, isText: false, message, once: 0 }
}

function wireTypeOf(type: ScalarType): number {
  switch (type) {
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return BIT64
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return BIT32
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return DELIMITED
    default:
      return VARINT
  }
}
