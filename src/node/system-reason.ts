/** The reasons of the operating system, in its words. */
import { getSystemErrorMap } from 'node:util'

/** Returns why the operating system refused a call, such as `permission denied`; undefined for any other error. */
export function systemReason(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined
  const { code, errno, syscall } = error as NodeJS.ErrnoException
  // A file where a folder belongs.
  if (syscall === 'mkdir' && code === 'EEXIST') return 'not a directory'
  return (errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]) ?? code ?? error.message
}
