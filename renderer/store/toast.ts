// Short notes at the lower edge: what was done (with a way back), and errors that have no better place.
import { create } from 'zustand';
import type { Input, Method, Output } from '../../shared/ipc';
import { call, type ErrorInfo } from '../bridge';

export type ToastAction = { readonly label: string; readonly run: () => void };
export type Toast = {
  readonly id: number;
  readonly tone: 'plain' | 'error';
  readonly text: string;
  readonly detail: string | null;
  readonly action: ToastAction | null;
  readonly ms: number;
};

type ToastState = { readonly toasts: readonly Toast[] };
export const useToasts = create<ToastState>()(() => ({ toasts: [] }));

const MOST = 3;
let nextId = 1;

export function showToast(toast: Partial<Omit<Toast, 'id'>> & { readonly text: string }): number {
  const id = nextId++;
  const full: Toast = { tone: 'plain', detail: null, action: null, ms: 7000, ...toast, id };
  useToasts.setState((s) => {
    // Two ways back side by side could not be told apart: only the newest is offered.
    const others = full.action === null ? s.toasts : s.toasts.filter((t) => t.action === null);
    return { toasts: [...others.slice(1 - MOST), full] };
  });
  return id;
}

export function dismissToast(id: number): void {
  useToasts.setState((s) => ({ toasts: s.toasts.filter((t) => t.id !== id) }));
}

export function showError(error: ErrorInfo): void {
  if (error.code === 'cancelled') return;
  showToast({ tone: 'error', text: error.message, detail: error.hint ?? null, ms: 12_000 });
}

/** Calls, and shows a toast when it fails. null: it failed. */
export async function attempt<M extends Method>(method: M, input: Input<M>): Promise<Output<M> | null> {
  const result = await call(method, input);
  if (result.ok) return result.value;
  showError(result.error);
  return null;
}
