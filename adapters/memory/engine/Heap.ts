/**
 * Keeps items in a binary heap, with the smallest first.
 *
 * @module
 */
export class Heap<Item> {
  #items: Array<Item> = []
  readonly #before: (a: Item, b: Item) => boolean

  constructor(before: (a: Item, b: Item) => boolean) {
    this.#before = before
  }

  get size(): number {
    return this.#items.length
  }

  /** Returns the smallest item, without removing it. */
  peek(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    const items = this.#items
    let place = items.length
    items.push(item)
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!this.#before(item, items[parent]!)) break
      items[place] = items[parent]!
      place = parent
    }
    items[place] = item
  }

  /** Removes the smallest item and returns it. */
  pop(): Item | undefined {
    const items = this.#items
    const least = items[0]
    const last = items.pop()
    if (items.length > 0 && last !== undefined) this.#sink(last, 0)
    return least
  }

  /** Keeps only the items for which `keep` returns true. */
  retain(keep: (item: Item) => boolean): void {
    this.#items = this.#items.filter(keep)
    for (let place = (this.#items.length >> 1) - 1; place >= 0; place--)
      this.#sink(this.#items[place]!, place)
  }

  #sink(item: Item, from: number): void {
    const items = this.#items
    let place = from
    while (true) {
      let child = 2 * place + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#before(items[child + 1]!, items[child]!)) child++
      if (!this.#before(items[child]!, item)) break
      items[place] = items[child]!
      place = child
    }
    items[place] = item
  }
}
