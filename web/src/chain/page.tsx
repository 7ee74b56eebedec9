/** Placeholder of a page. */
import { Empty } from '../ui/loaded.tsx'

export default function PlaceholderPage() {
  return <Empty>This page is being built.</Empty>
}
