/** Names of types in a type URL. */
import type { Identity } from './types.ts'

/** Returns the type name of a type URL, or of a bare type name, under the neutral identity. */
export function neutralTypeName(identity: Pick<Identity, 'toNeutralName'>, typeUrl: string): string {
  return identity.toNeutralName(typeUrl.slice(typeUrl.lastIndexOf('/') + 1))
}
