import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { isNoise, quiet } from './noise.mjs';

describe('isNoise', () => {
  test.each([
    '[5100:1130/193027.686605:ERROR:bus.cc(399)] Failed to connect to the bus: Failed to connect to socket',
    '[5126:1130/193028.060800:ERROR:viz_main_impl.cc(186)] Exiting GPU process due to errors during initialization',
    '[12:0101/000000.000001:ERROR:dbus/bus.cc:408] Failed to connect to the bus',
    '[12:0101/000000.000001:WARNING:gpu/command_buffer/service/context_group.cc:1] x',
    '[12:0101/000000.000001:ERROR:ui/gl/gl_surface_presentation_helper.cc:260] GetVSyncParametersIfAvailable() failed',
    'libEGL warning: DRI3: Screen seems not DRI3 capable',
  ])('drops %s', (line) => expect(isNoise(line)).toBe(true));

  test.each([
    '[1:1130/193027.686605:FATAL:bus.cc(399)] gone',
    '[1:1130/193027.686605:ERROR:network_service_instance_impl.cc(521)] Network service crashed',
    '[1:1130/193027.686605:ERROR:browser_main_loop.cc(276)] Missing X server or $DISPLAY',
    'Error: bus.cc',
    'TidemarkError: no such folder',
  ])('keeps %s', (line) => expect(isNoise(line)).toBe(false));
});

test('quiet passes lines on whole, however they were cut, and an unended last one', async () => {
  const noise = '[5100:1130/193027.686605:ERROR:bus.cc(399)] Failed\n';
  const parts = ['fir', `st\n${noise.slice(0, 20)}`, `${noise.slice(20)}\nla`, 'st'];
  expect(await text(Readable.from(parts).pipe(quiet()))).toBe('first\n\nlast');
});
