/** `almanac_nodeLog`: the newest records of the log of a development chain. */
import { methodNotFound } from '../errors.ts'
import { type Methods, mainMethod } from '../method.ts'
import { optional } from '../params.ts'
import { count } from './verbs.ts'

/** Records of an answer of `almanac_nodeLog`. Beyond: the oldest are left out. */
const MAX_RECORDS = 200
/** Characters of the fields of such a record. Beyond: they are cut, with the number that is missing. */
const MAX_FIELDS = 2000

const cut = (text: string): string =>
  text.length <= MAX_FIELDS ? text : `${text.slice(0, MAX_FIELDS)}… ${text.length - MAX_FIELDS} more characters`

/** Methods by wire name. */
export const nodeLogMethods: Methods = {
  almanac_nodeLog: mainMethod([optional(count, 0n)], ({ node }, from) => {
    if (!node.recentLog) throw methodNotFound('almanac_nodeLog')
    const kept = node.recentLog(0)
    const next = (kept.at(-1)?.index ?? -1) + 1
    const records = kept.filter(({ index }) => BigInt(index) >= from).slice(-MAX_RECORDS)
    return {
      records: records.map(({ index, timeMs, level, message, fields }) => ({
        index,
        time: new Date(timeMs).toISOString(),
        level,
        message,
        fields: cut(fields),
      })),
      next,
    }
  }),
}
