/** Shapes of REST answers, from the types that are generated from the same protos: names in snake case, numbers as text. */
import type { Message } from '@bufbuild/protobuf'

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : Name

type Value<T> = T extends bigint | Uint8Array
  ? string
  : T extends { readonly $typeName: 'google.protobuf.Timestamp' | 'google.protobuf.Duration' }
    ? string
    : T extends { readonly $typeName: 'google.protobuf.Any' }
      ? { readonly '@type': string; readonly [name: string]: unknown }
      : T extends Message
        ? Wire<T>
        : T extends readonly (infer Item)[]
          ? readonly Value<Item>[]
          : T

/** The JSON of a message in REST: `Wire<QueryBalanceResponse>`. Enumerations are names, which the types do not know. */
export type Wire<T extends Message> = {
  readonly [Name in Exclude<keyof T, '$typeName' | '$unknown'> as Snake<Name & string>]: Value<T[Name]>
}
