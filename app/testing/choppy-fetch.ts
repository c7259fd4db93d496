// A fetch whose answers arrive in the pieces that a test wants, whatever the network made of them.

/** Cuts the body before each of these bytes; `every`: in pieces of so many bytes. */
export type Cuts = { readonly at: number } | { readonly every: number };

/** The real fetch, with the body of each answer collected and handed on piece by piece. */
export function choppyFetch(cuts: Cuts): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const pieces =
      'at' in cuts ? [bytes.slice(0, cuts.at), bytes.slice(cuts.at)] : everyFew(bytes, cuts.every);
    let next = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces[next++];
        if (piece === undefined) controller.close();
        else if (piece.length > 0) controller.enqueue(piece);
        else this.pull?.(controller);
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

function everyFew(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, i) => bytes.slice(i * size, (i + 1) * size));
}
