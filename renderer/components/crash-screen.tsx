// What is left when drawing fails: the tasks and checkpoints are in the main process and unharmed.
import { Component, type ReactNode } from 'react';
import { Button } from './button';
import styles from './crash-screen.module.css';

type CrashState = { readonly message: string | null };

export class CrashScreen extends Component<{ readonly children: ReactNode }, CrashState> {
  override state: CrashState = { message: null };
  static getDerivedStateFromError(thrown: unknown): CrashState {
    return { message: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  override render(): ReactNode {
    const { message } = this.state;
    if (message === null) return this.props.children;
    return (
      <main role="alert" className={styles.screen}>
        <h1 className={styles.title}>This window could not be drawn.</h1>
        <p>Your files, tasks and checkpoints are safe. Load the window again to go on.</p>
        <code>{message}</code>
        <Button onClick={() => location.reload()}>Load Again</Button>
      </main>
    );
  }
}
