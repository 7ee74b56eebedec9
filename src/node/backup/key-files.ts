/** Files of a home with keys, which a backup can leave out. */

/** Their paths in the home, with the copies that editors and people leave beside them. */
const KEYS = [/^keyring-/, /^mnemonic\b/, /(^|\/)(priv_validator|node)_key\.json\b/]

/** Whether a file has keys. `path` is its place in the home, with `/`. */
export const isKeyFile = (path: string): boolean => KEYS.some((pattern) => pattern.test(path))
