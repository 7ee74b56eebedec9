/** Options of fields and methods, with a fast path for the many fields and methods without options. */
import { type DescField, type DescMethod, getOption, type Message } from '@bufbuild/protobuf'
import type { GenExtension } from '@bufbuild/protobuf/codegenv2'
import type { FieldOptions, MethodOptions } from '@bufbuild/protobuf/wkt'

function carries(options: Message | undefined, number: number): boolean {
  return options?.$unknown?.some(({ no }) => no === number) ?? false
}

/** Returns the option of a field, or `absent`. */
export function fieldOption<Value>(field: DescField, option: GenExtension<FieldOptions, Value>, absent: Value): Value {
  return carries(field.proto.options, option.number) ? (getOption(field, option) as Value) : absent
}

/** Returns the option of a method, or `absent`. */
export function methodOption<Value>(
  method: DescMethod,
  option: GenExtension<MethodOptions, Value>,
  absent: Value,
): Value {
  return carries(method.proto.options, option.number) ? (getOption(method, option) as Value) : absent
}
