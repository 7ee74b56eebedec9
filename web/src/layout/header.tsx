/** The head of every page: name, search, navigation. */
import { useNode } from '../api/node.ts'
import { usePlace } from '../router.tsx'
import { ROUTES } from '../routes.ts'
import { Link } from '../ui/values.tsx'
import { SearchBox } from './search.tsx'

export function Header() {
  const { path } = usePlace()
  const isDevelopment = useNode()?.development === true
  const isHere = (route: string): boolean =>
    route === '/' ? path === '/' : path === route || path.startsWith(`${route}/`)
  return (
    <header class="top">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <Link to="/" class="brand" title="Overview">
        <span aria-hidden="true">◆</span> Console
      </Link>
      <SearchBox />
      <nav aria-label="Pages">
        {ROUTES.filter(
          ({ title, isForDevelopment }) => title !== undefined && (!isForDevelopment || isDevelopment),
        ).map(({ path: to, title }) => (
          <a key={to} href={`#${to}`} aria-current={isHere(to) ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </header>
  )
}
