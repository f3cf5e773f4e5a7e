"""What makes a card follow a reader at once: small answers of the kernel are sent to the browser without delay.

A live card is answered by several small messages. The system holds the second one back until the browser has
acknowledged the first, and the browser takes its time (on Linux 40 ms). Jupyter Server does not turn that off itself.
"""

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """A kernel's connection to the browser that never waits to fill a packet (TCP_NODELAY)."""

    def connect(self):
        """Connect as Jupyter Server does, and send every message at once from here on."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()
